import type { Mode } from '../../../contract/primitives';
import { type Hold, unwrittenRecord, type Waiter } from '../../lock/lock-record';
import type { ContendedLock } from '../wait-state';

export const NOW = 1_000_000_000;

interface Part {
  owner: string;
  mode?: Mode;
  permits?: number;
  /** How long ago it was granted, or began to wait. */
  agoMs?: number;
  /** Of a hold. */
  meta?: Record<string, string>;
  /** Of a waiter. */
  over?: Partial<Waiter>;
  /** Of a hold. */
  ends?: Partial<Hold>;
}

/** Who holds a lock, and who waits for it. */
export interface LockParts {
  holds: Part[];
  queue: Part[];
  capacity?: number;
  backend?: string;
  offsetMs?: number;
}

/** A lock of a backend, as a test describes it. */
export function contendedLock(
  name: string,
  { holds, queue, capacity, ...at }: LockParts,
): ContendedLock {
  const { backend = 'default', offsetMs = 0 } = at;
  const now = NOW + offsetMs;
  const record = {
    ...unwrittenRecord(now),
    holds: holds.map((part, i): Hold => {
      const { owner, mode = 'exclusive', permits, agoMs = 60_000, meta = {}, ends } = part;
      return {
        token: i + 1,
        mode,
        ...(permits === undefined ? {} : { permits }),
        service: 's',
        owner,
        count: 1,
        leaseMs: 600_000,
        grantedAt: now - agoMs,
        renewedAt: now - agoMs,
        renewals: 0,
        expiresAt: now + 600_000,
        waitedMs: 0,
        rev: 1,
        meta,
        requests: [],
        requestsKeptUntil: 0,
        askedToRelease: null,
        renewalsStopped: null,
        ...ends,
      };
    }),
    queue: queue.map((part, i): Waiter => {
      const { owner, mode = 'exclusive', permits, agoMs = 30_000, over } = part;
      return {
        ticket: i + 1,
        mode,
        ...(permits === undefined ? {} : { permits }),
        service: 's',
        owner,
        tag: '',
        process: 'p',
        enqueuedAt: now - agoMs,
        patienceMs: 600_000,
        detachedUntil: null,
        ...over,
      };
    }),
    capacity: capacity === undefined ? null : { inForce: capacity, named: capacity },
  };
  return { id: `${backend}/${name}`, store: backend, record, now, offsetMs };
}
