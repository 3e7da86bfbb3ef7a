import type { Hold } from './lock-hold';

/** The holds of several locks, as their work receives them. */
export interface LockSetHold {
  /** One for each lock, in the order in which they were named. */
  readonly holds: readonly Hold[];
  /** Aborted with `LockLost` as soon as any of the holds is lost, or with the caller's reason. */
  readonly signal: AbortSignal;
  /** Aborted when an operator asks for any of the locks, or has stopped the renewals of one. */
  readonly askedToRelease: AbortSignal;
  /** How long the call waited until all were granted, in milliseconds. */
  readonly waitedMs: number;
  /** The fencing token of one of the locks. Throws for a lock that is not of the set. */
  token(name: string): number;
  /** How many milliseconds of the lease that ends first are certainly left; 0 once it is lost. */
  remainingMs(): number;
}

/** @param signal aborts as soon as any of the holds is lost */
export function lockSetHold(holds: readonly Hold[], signal: AbortSignal): LockSetHold {
  return {
    holds,
    signal,
    askedToRelease: AbortSignal.any(holds.map((hold) => hold.askedToRelease)),
    waitedMs: holds[0]?.waitedMs ?? 0,
    token(name) {
      const hold = holds.find((other) => other.name === name);
      if (!hold) throw new RangeError(`"${name}" is not one of the locks of this set.`);
      return hold.token;
    },
    remainingMs: () => Math.min(...holds.map((hold) => hold.remainingMs())),
  };
}
