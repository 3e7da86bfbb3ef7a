/**
 * Rounds to what a duration shows, so that a row is drawn again only when its text would change.
 */
export const displayedMs = (ms: number) =>
  ms < 10_000 ? Math.floor(ms / 100) * 100 : Math.floor(ms / 1_000) * 1_000;
