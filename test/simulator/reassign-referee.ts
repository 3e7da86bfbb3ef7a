import type { LockEvent } from '@/server/core/lock/lock-event';
import type { LockRecord } from '@/server/core/lock/lock-record';

/** Lines of history that say how a waiter left the queue. */
const LEAVES: ReadonlySet<string> = new Set([
  'granted',
  'timeout',
  'cancelled',
  'dropped',
  'moved',
]);

/** Lines that end an offer. */
const OFFER_ENDS: ReadonlySet<string> = new Set([...LEAVES, 'withdrawn']);

/** Watches to whom operators reassign locks: only those may go out of turn. */
export class ReassignReferee {
  /** By lock: the owners whose waiters have an offer from an operator. */
  private readonly chosen = new Map<string, Set<string>>();

  /** Whether this grant went to whom an operator has chosen. Told of all events in order. */
  isChosen(id: string, { kind, owner, by }: LockEvent): boolean {
    const chosen = this.chosen.get(id) ?? new Set();
    this.chosen.set(id, chosen);
    const isIts = chosen.has(owner) || by !== undefined;
    if (OFFER_ENDS.has(kind)) chosen.delete(owner);
    if (kind === 'offered' && by !== undefined) chosen.add(owner);
    return kind === 'granted' && isIts;
  }

  /** What is wrong with a step in which a lock was reassigned. */
  violations(old: LockRecord | null, record: LockRecord, events: readonly LockEvent[]): string[] {
    if (!events.some(isReassignment)) return [];
    const kept = new Set(record.queue.map(({ ticket }) => ticket));
    return (old?.queue ?? [])
      .filter(({ ticket, owner }) => {
        const hasLeft = events.some((event) => event.owner === owner && LEAVES.has(event.kind));
        return !kept.has(ticket) && !hasLeft;
      })
      .map(({ ticket }) => `ticket ${ticket} lost its place when the lock was reassigned`);
  }
}

/** A grant or an offer that an operator made. */
export const isReassignment = ({ kind, by }: LockEvent) =>
  by !== undefined && (kind === 'granted' || kind === 'offered');
