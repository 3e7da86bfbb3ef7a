declare module 'unicode-confusables' {
  /** Replaces each letter that looks like another one by that one, after Unicode's table. */
  export function rectifyConfusion(text: string): string;
}
