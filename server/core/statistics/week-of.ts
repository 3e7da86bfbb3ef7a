export const WEEK_MS = 7 * 24 * 60 * 60_000;

/** The beginning of the week that an instant lies in: Thursday, 0:00 UTC. */
export function weekOf(at: number): number {
  return Math.floor(at / WEEK_MS) * WEEK_MS;
}
