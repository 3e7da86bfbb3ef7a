/** The shortcut that opens the menu “Go anywhere”, as it is written on the reader's keys. */
export const commandKeys = (userAgent: string): string =>
  /Mac|iPhone|iPad/.test(userAgent) ? '⌘K' : 'Ctrl K';
