import type { LockEvent } from '@/server/core/lock/lock-event';
import type { LockRecord, Waiter } from '@/server/core/lock/lock-record';

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

  /**
   * Whether this grant went to the waiter that an operator chose. Called with every event.
   *
   * @param waiters those before and after the step of the event
   */
  isChosen(id: string, event: LockEvent, waiters: readonly WaitOf[]): boolean {
    const { kind, owner, by } = event;
    const chosen = this.chosen.get(id) ?? new Map<string, number>();
    this.chosen.set(id, chosen);
    const since = chosen.get(owner);
    // Another waiter of that owner may time out meanwhile.
    const isIts = since !== undefined && mayConcern(event, since);
    if (isIts && OFFER_ENDS.has(kind)) chosen.delete(owner);
    if (kind === 'offered' && by !== undefined) {
      const isOffered = (one: WaitOf) => one.owner === owner && mayConcern(event, one.enqueuedAt);
      chosen.set(owner, waiters.find(isOffered)?.enqueuedAt ?? event.at - (event.waitedMs ?? 0));
    }
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

type WaitOf = Pick<Waiter, 'owner' | 'enqueuedAt'>;

/**
 * Whether an event may concern a waiter that has waited since this instant. After the clock was set
 * back, that may be yet to come.
 */
const mayConcern = ({ at, waitedMs }: LockEvent, enqueuedAt: number) =>
  waitedMs === undefined || waitedMs === Math.max(0, at - enqueuedAt);

/** Whether an event is a grant or an offer by an operator. */
export const isReassignment = ({ kind, by }: LockEvent) =>
  by !== undefined && (kind === 'granted' || kind === 'offered');
