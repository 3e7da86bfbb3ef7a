import type { HoldRow, LockDetail, LockRow, WaiterRow } from '@/server/contract/console/lock-row';
import type { Changed } from '@/server/contract/console/operator-answers';
import type { EndCause, MultiLockMark, PermitUse } from '@/server/contract/primitives';
import { waitersThatFit } from '@/server/core/lock/permits';
import type { LivenessVerdict } from '@/server/core/status/holder-liveness';

/** One side of “you saw” and “now”: the facts of a lock that matter for an action on it. */
export interface HoldSnapshot {
  rev: number;
  hold: {
    owner: string;
    service: string;
    token: number;
    grantedAt: number;
    expiresAt: number;
    /** When its holder released it; it stays held until `expiresAt`. Absent: it did not. */
    releasedAt?: number;
    /** Only in mode permit. */
    permits?: number;
    /** Absent for a lock that was taken alone. */
    set?: MultiLockMark;
    /** Whether its process is alive; absent until the lock's details were read. */
    liveness?: LivenessVerdict;
    /** Absent if this hold is known only from a refusal. */
    renewal?: Pick<HoldRow, 'leaseMs' | 'renewedAt' | 'renewals' | 'meta' | 'releasedAt'>;
  } | null;
  /** How many others share the lock. */
  others: number;
  /** Absent unless the lock has permits, and where only a refusal is known. */
  permits?: PermitUse;
  isFrozen: boolean;
  waiters: number;
  oldestWaitAt: number | null;
  /** In the order of the queue; null while only their number is known. */
  queue: WaiterRow[] | null;
}

export function snapshotOfRow(row: LockRow, queue: WaiterRow[] | null = null): HoldSnapshot {
  const { hold } = row;
  return {
    rev: row.rev,
    hold: hold && {
      owner: hold.owner,
      service: hold.service,
      token: hold.token,
      grantedAt: hold.grantedAt,
      expiresAt: hold.expiresAt,
      ...(hold.releasedAt === undefined ? {} : { releasedAt: hold.releasedAt }),
      ...(hold.permits === undefined ? {} : { permits: hold.permits }),
      ...(hold.set ? { set: hold.set } : {}),
      ...(hold.liveness ? { liveness: hold.liveness } : {}),
      renewal: hold,
    },
    others: Math.max(0, row.holders - 1),
    ...(row.permits ? { permits: row.permits } : {}),
    isFrozen: row.frozen !== null,
    waiters: row.waiters,
    oldestWaitAt: row.oldestWaitAt,
    queue,
  };
}

/** @param token the hold in question if several share the lock; another is shown if it is gone */
export function snapshotOfDetail(detail: LockDetail, token: number | undefined): HoldSnapshot {
  const hold = detail.holds.find((other) => other.token === token) ?? detail.row.hold;
  return snapshotOfRow({ ...detail.row, hold }, detail.waiters);
}

export function snapshotOfRefusal(refusal: Changed): HoldSnapshot {
  return {
    rev: refusal.rev,
    hold: refusal.holders[0] ?? null,
    others: Math.max(0, refusal.holders.length - 1),
    isFrozen: refusal.state === 'frozen',
    waiters: refusal.queueLength,
    oldestWaitAt: null,
    queue: null,
  };
}

/** How the hold that was seen ended. */
export interface HoldEnd {
  cause: EndCause;
  at: number;
  by?: string;
  reason?: string;
}

/** Finds the end of the hold that was seen: in the refusal, or in the lock's last hold. */
export function endOfHold(
  token: number | undefined,
  refusal: Changed | null,
  detail: LockDetail | null,
): HoldEnd | null {
  if (refusal) return refusal.ended;
  const ended = detail?.row.ended;
  return ended && ended.token === token ? ended : null;
}

/**
 * Why the lock is not granted when the hold ends; null if it goes to a waiter or becomes free.
 *
 * @param isClosed its backend grants nothing at the moment
 */
export function grantBlockedBy(
  side: HoldSnapshot,
  isClosed: boolean,
): 'closed' | 'frozen' | 'permits' | 'shared' | null {
  if (isClosed) return 'closed';
  if (side.isFrozen) return 'frozen';
  if (side.others === 0) return null;
  const left = permitsLeftAfter(side);
  if (left === null) return 'shared';
  const first = firstWaiter(side);
  return first && waitersThatFit([first], left).length === 0 ? 'permits' : null;
}

/** How many permits are left once the hold has ended; null in other modes. */
export function permitsLeftAfter({ hold, permits }: HoldSnapshot): number | null {
  if (hold?.permits === undefined || !permits) return null;
  return Math.max(0, permits.capacity - permits.inUse + hold.permits);
}

/** The first waiter; null if there is none or the queue is not known yet. */
export const firstWaiter = (side: HoldSnapshot): WaiterRow | null => side.queue?.[0] ?? null;
