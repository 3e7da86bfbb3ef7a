import {
  type Hold,
  isReleased,
  type LockRecord,
  liveHolds,
  type Waiter,
} from '../lock/lock-record';
import { inServiceOrder, isOutOfPatience } from '../lock/queue';
import { type Party, partyKey } from '../party';

/** The error with which the clocks of two backends can be compared. */
const CLOCK_SLACK_MS = 1_000;

/** A lock with waiters, as it was last read. */
export interface ContendedLock {
  /** Unique over all backends. */
  id: string;
  /** The backend or shard that stores it, whose clock its instants are on. */
  store: string;
  record: LockRecord;
  /** The present instant of that clock. */
  now: number;
  /** How far that clock is ahead of the clock by which backends are compared. */
  offsetMs: number;
}

/** A hold of a lock with waiters. */
export interface WaitedHold {
  lock: LockWaits;
  hold: Hold;
  party: WaitParty;
}

/** A place in a queue whose caller still waits. */
export interface OpenWait {
  lock: LockWaits;
  waiter: Waiter;
  party: WaitParty;
}

/** One lock's part of the wait-for graph. */
export interface LockWaits extends ContendedLock {
  /** The live holds that their holders have not released. */
  holds: WaitedHold[];
  /** In the order in which they are served. */
  queue: OpenWait[];
}

/** An owner of a service: the locks with waiters that it holds, and those that it waits for. */
export interface WaitParty extends Party {
  /** See `partyKey`. */
  key: string;
  holds: WaitedHold[];
  waits: OpenWait[];
}

/** The holders and waiters of all locks with waiters. */
export interface WaitState {
  locks: LockWaits[];
  parties: Map<string, WaitParty>;
}

/** Joins holds and waits of all locks by their owners, in time linear in their number. */
export function readWaits(locks: Iterable<ContendedLock>): WaitState {
  const state = noWaits();
  for (const lock of locks) addLock(state, lock);
  return state;
}

export const noWaits = (): WaitState => ({ locks: [], parties: new Map() });

/** Adds one lock; for callers that read many locks in slices. */
export function addLock({ locks, parties }: WaitState, lock: ContendedLock): void {
  const joined: LockWaits = { ...lock, holds: [], queue: [] };
  for (const hold of liveHolds(lock.record, lock.now)) {
    if (isReleased(hold)) continue;
    const held: WaitedHold = { lock: joined, hold, party: partyOf(parties, hold) };
    joined.holds.push(held);
    held.party.holds.push(held);
  }
  for (const waiter of inServiceOrder(lock.record.queue)) {
    if (!isWaiting(waiter, lock.now)) continue;
    const wait: OpenWait = { lock: joined, waiter, party: partyOf(parties, waiter) };
    joined.queue.push(wait);
    wait.party.waits.push(wait);
  }
  locks.push(joined);
}

function partyOf(parties: WaitState['parties'], { service, owner }: Hold | Waiter): WaitParty {
  const key = partyKey({ service, owner });
  const known = parties.get(key);
  if (known) return known;
  const party: WaitParty = { key, service, owner, holds: [], waits: [] };
  parties.set(key, party);
  return party;
}

function isWaiting(waiter: Waiter, now: number): boolean {
  if (isOutOfPatience(waiter, now)) return false;
  return waiter.detachedUntil === null || waiter.detachedUntil > now;
}

/**
 * Whether an owner evidently does several things at the same time, so that it can release locks
 * while it waits: it waits for several locks, or for one that it holds itself; it was granted a
 * lock after it began to wait; or its holds name more than one process.
 */
export function isConcurrent({ holds, waits }: WaitParty): boolean {
  const [wait] = waits;
  if (!wait) return false;
  if (waits.length > 1) return true;
  const processes = new Set(holds.map(({ hold }) => namedProcess(hold)));
  return processes.size > 1 || holds.some((held) => held.lock === wait.lock || isLater(held, wait));
}

/** The process that a hold names in its `meta`; empty if it names none. */
export function namedProcess({ meta }: Pick<Hold, 'meta'>): string {
  const { host = '', pid = '', bootId = '', pidNamespace = '', pidStart = '' } = meta;
  const parts = [host, pid, bootId, pidNamespace, pidStart];
  return parts.every((part) => part === '') ? '' : parts.join('\0');
}

/** Whether a hold was granted during a wait. */
function isLater({ lock, hold }: WaitedHold, wait: OpenWait): boolean {
  const aheadMs = lock.offsetMs - wait.lock.offsetMs;
  const slackMs = lock.store === wait.lock.store ? 0 : CLOCK_SLACK_MS;
  return hold.grantedAt - aheadMs > wait.waiter.enqueuedAt + slackMs;
}
