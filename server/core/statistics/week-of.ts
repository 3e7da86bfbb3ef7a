export const WEEK_MS = 7 * 24 * 60 * 60_000;

/** The beginning of the week of an instant: Thursday, 0:00 UTC. */
export function weekOf(at: number): number {
  return Math.floor(at / WEEK_MS) * WEEK_MS;
}
