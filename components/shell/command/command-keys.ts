/** What opens the menu that goes anywhere, as it is written on the keys of the reader's device. */
export const commandKeys = (userAgent: string): string =>
  /Mac|iPhone|iPad/.test(userAgent) ? '⌘K' : 'Ctrl K';
