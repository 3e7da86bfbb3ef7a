import type { Deadlock } from './find-deadlocks';
import {
  isConcurrent,
  type LockWaits,
  type OpenWait,
  type WaitParty,
  type WaitState,
} from './wait-state';

/**
 * The cause of a chain of waits, which does not wait itself: an owner, the owners of a deadlock, or
 * a lock without a holder, such as a frozen one.
 */
export interface HeadBlocker {
  /** Empty for a lock without a holder. */
  parties: WaitParty[];
  deadlock: Deadlock | null;
  /** The locks with waiters that it holds; or the lock without a holder. */
  locks: LockWaits[];
  /** `locks`, the locks that their waiters hold, and so on. */
  behind: LockWaits[];
  /** The callers that the locks in `behind` block. */
  blocking: Blocking;
}

/** The number of callers that are blocked, and the sum of the times for which they have been. */
export interface Blocking {
  callers: number;
  ms: number;
}

/**
 * The head blockers whose own locks block the most, sorted: deadlocks first, then by blocking time.
 * A lock counts for every head blocker that it is behind.
 *
 * @param blockingOf the callers that a lock blocks
 * @param limit how many are returned; the rest are only counted
 */
export function headBlockers(
  state: WaitState,
  deadlocks: readonly Deadlock[],
  blockingOf: (lock: LockWaits) => Blocking,
  limit: number,
): { heads: HeadBlocker[]; more: number } {
  const inDeadlock = new Set(deadlocks.flatMap(({ members }) => members.map(({ key }) => key)));
  const isHead = (party: WaitParty) =>
    !inDeadlock.has(party.key) && (party.waits.length === 0 || isConcurrent(party));
  const seeds: Seed[] = deadlocks.map((deadlock) => {
    const parties = deadlock.members.map((member) => state.parties.get(member.key) ?? member);
    return { parties, deadlock, locks: [] };
  });
  for (const party of state.parties.values()) {
    if (isHead(party)) seeds.push({ parties: [party], deadlock: null, locks: [] });
  }
  for (const seed of seeds) seed.locks = contendedOf(seed.parties);
  for (const lock of state.locks) {
    if (lock.holds.length === 0 && lock.queue.length > 0) {
      seeds.push({ parties: [], deadlock: null, locks: [lock] });
    }
  }
  const blocking = seeds.filter(({ locks }) => locks.length > 0);
  const weight = ({ deadlock, locks }: Seed) =>
    deadlock ? Number.POSITIVE_INFINITY : sumOf(locks, blockingOf).ms;
  const ranked = blocking
    .map((seed) => ({ seed, weight: weight(seed) }))
    .sort((a, b) => (a.weight === b.weight ? 0 : b.weight - a.weight));
  const heads = ranked.slice(0, limit).map(({ seed }) => withLocksBehind(seed, isHead, blockingOf));
  heads.sort((a, b) => rankOf(b) - rankOf(a) || b.blocking.ms - a.blocking.ms);
  return { heads, more: Math.max(0, blocking.length - limit) };
}

type Seed = Pick<HeadBlocker, 'parties' | 'deadlock' | 'locks'>;

const rankOf = ({ deadlock }: HeadBlocker) => (deadlock ? 1 : 0);

function contendedOf(parties: readonly WaitParty[]): LockWaits[] {
  const locks = parties.flatMap(({ holds }) => holds.map(({ lock }) => lock));
  return [...new Set(locks)].filter(({ queue }) => queue.length > 0);
}

function withLocksBehind(
  seed: Seed,
  isHead: (party: WaitParty) => boolean,
  blockingOf: (lock: LockWaits) => Blocking,
): HeadBlocker {
  const reached = new Set(seed.locks);
  for (const lock of reached) {
    for (const { party } of lock.queue) {
      if (isHead(party)) continue;
      for (const held of party.holds) reached.add(held.lock);
    }
  }
  const behind = [...reached].filter(({ queue }) => queue.length > 0);
  return { ...seed, behind, blocking: sumOf(behind, blockingOf) };
}

/** The callers that these locks block together. */
export function sumOf(
  locks: Iterable<LockWaits>,
  blockingOf: (lock: LockWaits) => Blocking,
): Blocking {
  const sum: Blocking = { callers: 0, ms: 0 };
  for (const lock of locks) {
    const { callers, ms } = blockingOf(lock);
    sum.callers += callers;
    sum.ms += ms;
  }
  return sum;
}

/** The sum of the ages of these waits in milliseconds; an age below 0 (clock set back) is 0. */
export function waitedMsOf(waits: readonly OpenWait[]): number {
  let sum = 0;
  for (const { lock, waiter } of waits) sum += Math.max(0, lock.now - waiter.enqueuedAt);
  return sum;
}
