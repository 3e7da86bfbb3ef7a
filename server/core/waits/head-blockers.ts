import type { Deadlock } from './find-deadlocks';
import {
  isConcurrent,
  type LockWaits,
  type OpenWait,
  type WaitParty,
  type WaitState,
} from './wait-state';

/**
 * What keeps others waiting and does not itself wait for another: an owner, the owners of a
 * deadlock, or a lock that no one holds, as one that is frozen.
 */
export interface HeadBlocker {
  /** Empty for a lock without a holder. */
  parties: WaitParty[];
  deadlock: Deadlock | null;
  /** Locks with waiters: those that it holds, or is. */
  locks: LockWaits[];
  /** Everyone behind it, also behind those who wait for it. */
  waits: OpenWait[];
  /** The ages of these waits added up, in ms. */
  blockingMs: number;
}

/**
 * The head blockers with the most direct waiting behind them, deadlocks first, then by blocking
 * time. A wait is counted under each head blocker that it is behind.
 *
 * @param most how many are looked at closely; the rest is only counted
 */
export function headBlockers(
  state: WaitState,
  deadlocks: readonly Deadlock[],
  most: number,
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
  const directly = new Map(state.locks.map((lock) => [lock, waitedMsOf(lock.queue)]));
  const weight = ({ deadlock, locks }: Seed) =>
    deadlock
      ? Number.POSITIVE_INFINITY
      : locks.reduce((sum, lock) => sum + (directly.get(lock) ?? 0), 0);
  const ranked = blocking
    .map((seed) => ({ seed, weight: weight(seed) }))
    .sort((a, b) => (a.weight === b.weight ? 0 : b.weight - a.weight));
  const heads = ranked.slice(0, most).map(({ seed }) => withWaits(seed, isHead));
  heads.sort((a, b) => rankOf(b) - rankOf(a) || b.blockingMs - a.blockingMs);
  return { heads, more: Math.max(0, blocking.length - most) };
}

type Seed = Pick<HeadBlocker, 'parties' | 'deadlock' | 'locks'>;

const rankOf = ({ deadlock }: HeadBlocker) => (deadlock ? 1 : 0);

function contendedOf(parties: readonly WaitParty[]): LockWaits[] {
  const locks = parties.flatMap(({ holds }) => holds.map(({ lock }) => lock));
  return [...new Set(locks)].filter(({ queue }) => queue.length > 0);
}

function withWaits(seed: Seed, isHead: (party: WaitParty) => boolean): HeadBlocker {
  const locks = new Set(seed.locks);
  const waits: OpenWait[] = [];
  for (const lock of locks) {
    for (const wait of lock.queue) {
      waits.push(wait);
      if (isHead(wait.party)) continue;
      for (const held of wait.party.holds) locks.add(held.lock);
    }
  }
  return { ...seed, waits, blockingMs: waitedMsOf(waits) };
}

/** The ages of these waits added up, in ms; a clock that was set back counts as none. */
export function waitedMsOf(waits: readonly OpenWait[]): number {
  let sum = 0;
  for (const { lock, waiter } of waits) sum += Math.max(0, lock.now - waiter.enqueuedAt);
  return sum;
}
