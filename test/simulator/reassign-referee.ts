import type { LockEvent } from '@/server/core/lock/lock-event';
import type { LockRecord } from '@/server/core/lock/lock-record';

/** Kinds of events by which a waiter leaves the queue. */
const LEAVES: ReadonlySet<string> = new Set([
  'granted',
  'timeout',
  'cancelled',
  'dropped',
  'moved',
]);

/** Kinds of events that end an offer. */
const OFFER_ENDS: ReadonlySet<string> = new Set([...LEAVES, 'withdrawn']);

/** Records to which waiters operators reassign locks: only those may be served out of turn. */
export class ReassignReferee {
  /** By lock: the owners with an offer from an operator, and since when their waiters wait. */
  private readonly chosen = new Map<string, Map<string, number>>();

  /** Whether this grant went to the waiter that an operator chose. Called with every event. */
  isChosen(id: string, event: LockEvent): boolean {
    const { kind, owner, by } = event;
    const chosen = this.chosen.get(id) ?? new Map<string, number>();
    this.chosen.set(id, chosen);
    const since = waitingSince(event);
    // Another waiter of that owner may time out meanwhile.
    const isIts = chosen.has(owner) && (since === null || chosen.get(owner) === since);
    if (isIts && OFFER_ENDS.has(kind)) chosen.delete(owner);
    if (kind === 'offered' && by !== undefined) chosen.set(owner, since ?? event.at);
    return kind === 'granted' && (isIts || by !== undefined);
  }

  /** The violations in a step in which a lock was reassigned, in words. */
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

/** Null: the event does not say how long its waiter has waited. */
const waitingSince = ({ at, waitedMs }: LockEvent) =>
  waitedMs === undefined ? null : at - waitedMs;

/** Whether an event is a grant or an offer by an operator. */
export const isReassignment = ({ kind, by }: LockEvent) =>
  by !== undefined && (kind === 'granted' || kind === 'offered');
