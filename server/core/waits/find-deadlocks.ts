import { type Hold, SHARED_MAX, type Waiter } from '../lock/lock-record';
import { permitsOf } from '../lock/permits';
import { shortestCycle, strongComponents } from './cycles';
import {
  isConcurrent,
  type LockWaits,
  type OpenWait,
  type WaitedHold,
  type WaitParty,
  type WaitState,
} from './wait-state';

/** One step of a cycle: the wait of an owner, and the hold of the next owner that blocks it. */
export interface DeadlockStep {
  wait: OpenWait;
  blockedBy: WaitedHold;
}

/** Owners that wait for each other, so that none of them can continue. */
export interface Deadlock {
  /** The shortest cycle through the first member. */
  steps: DeadlockStep[];
  /** All owners in the deadlock, sorted by key: those of the cycle, and of others through it. */
  members: WaitParty[];
}

/**
 * Finds every deadlock, on the assumption that an owner does one thing at a time: it releases what
 * it holds once it has been granted what it waits for, and not before. An owner that evidently does
 * several things at the same time, see `isConcurrent`, can continue, and so can one that waits for
 * nothing.
 *
 * Exact under this assumption, also for shared holds, permits and queues: it simulates the grants
 * that follow once all owners that can continue have released everything. Owners that can never
 * continue are in a deadlock, or behind one; an owner behind one is not part of it.
 *
 * Timeouts and leases that are not renewed end any deadlock; they are not considered. A waiting
 * multi-lock holds nothing, and its wait counts as ended once its turn comes in this queue.
 */
export function findDeadlocks(state: WaitState): Deadlock[] {
  const { blocked, holdsLeft } = simulate(state);
  const stepsFrom = (party: WaitParty) => blockersOf(party, holdsLeft);
  const next = (party: WaitParty) => stepsFrom(party).map(({ blockedBy }) => blockedBy.party);
  return strongComponents([...blocked], next)
    .filter(({ length }) => length > 1)
    .map((component) => {
      const members = component.sort((a, b) => (a.key < b.key ? -1 : 1));
      const inside = new Set(members);
      const onward = (party: WaitParty) => next(party).filter((other) => inside.has(other));
      const cycle = shortestCycle(members[0] as WaitParty, onward) ?? [];
      const steps = cycle.flatMap((party, i) => {
        const to = cycle[(i + 1) % cycle.length];
        return stepsFrom(party).find(({ blockedBy }) => blockedBy.party === to) ?? [];
      });
      return { steps, members };
    });
}

type HoldsLeft = ReadonlyMap<LockWaits, WaitedHold[]>;

/** @returns the holders that can never continue, and what is left of the holds of each lock */
function simulate(state: WaitState): { blocked: Set<WaitParty>; holdsLeft: HoldsLeft } {
  const blocked = new Set<WaitParty>();
  for (const party of state.parties.values()) {
    const mayBlock = party.holds.length > 0 && party.waits.length > 0;
    if (mayBlock && !isConcurrent(party)) blocked.add(party);
  }
  const holdsLeft = new Map(state.locks.map((lock) => [lock, lock.holds]));
  const served = new Map(state.locks.map((lock) => [lock, 0]));
  // Iterating over a set also visits elements added meanwhile, and those deleted and added again.
  const changed = new Set(blocked.size > 0 ? state.locks : []);
  for (const lock of changed) {
    changed.delete(lock);
    const left = (holdsLeft.get(lock) as WaitedHold[]).filter(({ party }) => blocked.has(party));
    holdsLeft.set(lock, left);
    let place = served.get(lock) as number;
    for (; place < lock.queue.length; place += 1) {
      const { waiter, party } = lock.queue[place] as OpenWait;
      if (!fits(left, waiter, lock)) break;
      // The owner is granted this lock, continues, and then releases everything, also this lock.
      if (blocked.delete(party)) for (const held of party.holds) changed.add(held.lock);
    }
    served.set(lock, place);
  }
  return { blocked, holdsLeft };
}

function fits(left: WaitedHold[], { mode, permits = 1 }: Waiter, { record }: LockWaits): boolean {
  if (left.length === 0) return true;
  if (mode === 'exclusive' || left.length >= SHARED_MAX) return false;
  const holds: Hold[] = left.map(({ hold }) => hold);
  if (holds.some((hold) => hold.mode !== mode)) return false;
  return mode === 'shared' || permitsOf(holds) + permits <= (record.capacity?.inForce ?? 0);
}

/**
 * The holds that keep an owner waiting: all that are left, since the waiters before it wait for the
 * same holds. If it could share one of them, its holder waits itself, and so does the waiter in
 * between.
 */
function blockersOf({ waits: [wait] }: WaitParty, holdsLeft: HoldsLeft): DeadlockStep[] {
  const left = (wait && holdsLeft.get(wait.lock)) ?? [];
  return wait ? left.map((blockedBy) => ({ wait, blockedBy })) : [];
}
