/** The source of time for the whole program. */
export interface Clock {
  /** Epoch milliseconds. Can step when the machine's clock is set. */
  now(): number;
  /** Milliseconds since some instant; never steps. */
  monotonic(): number;
}

/**
 * How far apart the clocks of two servers may be. An instant further in the future is from before
 * the clock was set back.
 */
export const CLOCKS_APART_MAX_MS = 60_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** How long all threads of this process have worked so far, in milliseconds of a core. */
export function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
