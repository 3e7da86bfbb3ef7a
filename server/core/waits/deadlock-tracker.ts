import { isSameParty, type Party, partyKey } from '../party';
import type { Deadlock, DeadlockStep } from './find-deadlocks';
import { isConcurrent, type LockWaits, type WaitState } from './wait-state';

/** How a deadlock ended; `released`: an owner released a lock although it was waiting. */
export type DeadlockEnd = 'forced' | 'expired' | 'waitEnded' | 'released';

/** One wait of a cycle, as it was when the deadlock was found. */
export interface CycleEdge extends Party {
  lockId: string;
  ticket: number;
  /** The token of the hold that blocks it. */
  token: number;
  /** The owner of that hold. */
  blockedBy: Party;
}

/** A deadlock that was found. Instants are on the clock by which backends are compared. */
export interface TrackedDeadlock {
  /** Identical in every process that finds it. */
  id: string;
  cycle: CycleEdge[];
  /** When the last of its waits began. */
  since: number;
  foundAt: number;
}

export interface EndedDeadlock extends TrackedDeadlock {
  endedAt: number;
  end: DeadlockEnd;
  /** The operator whose force-release ended it. */
  by: string | null;
}

interface Candidate extends TrackedDeadlock {
  /** When the last of its locks was read, at the reading that found it. */
  readSince: number;
}

/** One reading of all waits. */
export interface WaitReading {
  state: WaitState;
  deadlocks: readonly Deadlock[];
  /** The clock by which backends are compared. */
  now: number;
  /** The last instant of that clock at which a lock is known to have been as it was read. */
  readAt: (lock: LockWaits) => number;
  /** Whether the backend of a lock does not respond, so that its present state is unknown. */
  isSilent: (lockId: string) => boolean;
}

/**
 * Tracks deadlocks from reading to reading. Locks are read one after another, so a cycle can
 * consist of waits that never existed at the same time: it is confirmed only if each of its locks
 * was read again with the same wait and hold after all of them had been read once.
 */
export class DeadlockTracker {
  private candidates: Candidate[] = [];
  private confirmed: TrackedDeadlock[] = [];

  /** The deadlocks that are confirmed and have not ended. */
  get current(): readonly TrackedDeadlock[] {
    return this.confirmed;
  }

  /** @returns the deadlocks that this reading confirmed, and those that have ended */
  follow(reading: WaitReading): { found: TrackedDeadlock[]; ended: EndedDeadlock[] } {
    const { now, isSilent } = reading;
    const locks = new Map(reading.state.locks.map((lock) => [lock.id, lock]));
    const isUnknown = ({ cycle }: TrackedDeadlock) => cycle.some(({ lockId }) => isSilent(lockId));
    const persists = ({ cycle }: TrackedDeadlock) => cycle.every((edge) => isPresent(edge, locks));
    const ended = this.confirmed
      .filter((one) => !isUnknown(one) && !persists(one))
      .map((one) => ({ ...one, endedAt: Math.max(now, one.foundAt), ...endOf(one, locks) }));
    const gone = new Set(ended.map(({ id }) => id));
    this.confirmed = this.confirmed.filter(({ id }) => !gone.has(id));
    this.candidates = this.candidates.filter(persists);
    this.addNew(reading);
    const found = this.candidates.filter(({ cycle, readSince }) =>
      cycle.every(({ lockId }) => reading.readAt(locks.get(lockId) as LockWaits) >= readSince),
    );
    this.candidates = this.candidates.filter((one) => !found.includes(one));
    this.confirmed.push(...found);
    return { found, ended };
  }

  private addNew({ deadlocks, now, readAt }: WaitReading): void {
    const known = [...this.confirmed, ...this.candidates];
    const owners = new Set(known.flatMap(({ cycle }) => cycle.map(partyKey)));
    for (const { steps, members } of deadlocks) {
      if (steps.length === 0 || members.some(({ key }) => owners.has(key))) continue;
      const cycle = steps.map(edgeOf);
      const began = steps.map(({ wait: { lock, waiter } }) => waiter.enqueuedAt - lock.offsetMs);
      this.candidates.push({
        id: cycle.map(({ lockId, ticket, token }) => `${lockId}#${ticket}#${token}`).join(' '),
        cycle,
        since: Math.min(now, Math.max(...began)),
        foundAt: now,
        readSince: Math.max(...steps.map(({ wait }) => readAt(wait.lock))),
      });
    }
  }
}

function edgeOf({ wait, blockedBy }: DeadlockStep): CycleEdge {
  const { service, owner } = wait.party;
  return {
    lockId: wait.lock.id,
    ticket: wait.waiter.ticket,
    token: blockedBy.hold.token,
    service,
    owner,
    blockedBy: { service: blockedBy.party.service, owner: blockedBy.party.owner },
  };
}

function isPresent(edge: CycleEdge, locks: ReadonlyMap<string, LockWaits>): boolean {
  const lock = locks.get(edge.lockId);
  const wait = lock?.queue.find(({ waiter }) => waiter.ticket === edge.ticket);
  const held = lock?.holds.find(({ hold }) => hold.token === edge.token);
  return wait !== undefined && held !== undefined && !isConcurrent(wait.party);
}

function endOf(
  { cycle }: TrackedDeadlock,
  locks: ReadonlyMap<string, LockWaits>,
): Pick<EndedDeadlock, 'end' | 'by'> {
  const lost = cycle.flatMap(({ lockId, token }) => {
    const { holds = [], record } = locks.get(lockId) ?? {};
    if (holds.some(({ hold }) => hold.token === token)) return [];
    return record?.ended?.token === token ? [record.ended] : [];
  });
  const forced = lost.find(({ cause }) => cause === 'forced');
  if (forced) return { end: 'forced', by: forced.by ?? null };
  if (lost.some(({ cause }) => cause === 'expired')) return { end: 'expired', by: null };
  const hasLeft = cycle.some((edge) => {
    const { queue = [], holds = [] } = locks.get(edge.lockId) ?? {};
    const waits = queue.some(({ waiter }) => waiter.ticket === edge.ticket);
    return !waits && !holds.some(({ party }) => isSameParty(party, edge));
  });
  return { end: hasLeft ? 'waitEnded' : 'released', by: null };
}
