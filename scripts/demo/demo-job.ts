/** Minimum and maximum, in milliseconds. */
export type RangeMs = readonly [number, number];

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const DAY = 24 * 60 * MINUTE;

/** How a worker spends its time: resting, waiting, holding. */
export interface Pace {
  leaseMs: number;
  waitMs: number;
  holdMs: RangeMs;
  restMs: RangeMs;
}

/**
 * What several workers of one service do in a loop: rest, take one of the locks, hold it, release
 * it.
 */
export interface DemoJob extends Pace {
  service: string;
  namespace: string;
  /** Each worker takes each once, in order from its own start; then it chooses at random. */
  locks: string[];
  /** The owners. With more owners than locks, some are always waiting. */
  workers: string[];
  /** Readers share a lock; absent: exclusive. */
  mode?: 'shared';
  /** How many permits each worker takes, and how many there are; absent: no permits. */
  permits?: { each: number; capacity: number };
  /** How long the lock stays held at least, even if the work ends sooner. */
  holdAtLeastMs?: number;
  /** How many neighbouring locks of the list a worker takes together; absent: a single lock. */
  together?: number;
}

/** Up to seconds: a customer's request. */
export const QUICK: Pace = {
  leaseMs: 3 * SECOND,
  waitMs: 20 * SECOND,
  holdMs: [150, 1_800],
  restMs: [1_500, 6 * SECOND],
};

/** Seconds: a small task from a queue. */
export const STEADY: Pace = {
  leaseMs: 8 * SECOND,
  waitMs: 45 * SECOND,
  holdMs: [600, 5 * SECOND],
  restMs: [3 * SECOND, 9 * SECOND],
};

/** Up to a minute: a batch. */
export const LONG: Pace = {
  leaseMs: 30 * SECOND,
  waitMs: 5 * MINUTE,
  holdMs: [10 * SECOND, 50 * SECOND],
  restMs: [2 * SECOND, 12 * SECOND],
};

/** Minutes: a leader, with others on standby. */
export const LEADING: Pace = {
  leaseMs: 12 * SECOND,
  waitMs: 10 * MINUTE,
  holdMs: [3 * MINUTE, 5 * MINUTE],
  restMs: [500, 2 * SECOND],
};

/** Owners in one pod. */
export const pod = (name: string, ...numbers: number[]): string[] =>
  numbers.map((number) => `${name}:worker-${number}`);
