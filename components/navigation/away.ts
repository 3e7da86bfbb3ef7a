let broken = 0;

/** Counts a live connection that broke; call the returned function once it is live again. */
export function reportBroken(): () => void {
  broken += 1;
  return () => {
    broken -= 1;
  };
}

/** Whether a connection of this page broke, so that the server may be unreachable. */
export const mayBeAway = (): boolean => broken > 0;

let openOnceBack: ((href: string) => void) | null = null;

/**
 * Registers the function that opens a page once the server is back; call the returned function to
 * remove it.
 *
 * @param open must be the same function every time
 */
export function reportGuard(open: (href: string) => void): () => void {
  openOnceBack = open;
  return () => {
    openOnceBack = null;
  };
}

/** Opens a page; while the server may be unreachable, once it is back. */
export function openPage(href: string, open: (href: string) => void): void {
  if (openOnceBack && mayBeAway()) openOnceBack(href);
  else open(href);
}

let opensKnown = false;

/** From now on the list can show a lock's page without the server. */
export function reportOpensKnown(): void {
  opensKnown = true;
}

/** Whether links marked `data-opens-known` need no server. */
export const canOpenKnown = (): boolean => opensKnown;

/** Whether an address is that of the lock list. */
export const isListHref = (href: string): boolean => /^\/(\?|$)/.test(href);
