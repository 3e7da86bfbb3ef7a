import type { LockEvent } from '@/server/core/lock/lock-event';
import {
  type Hold,
  isReleased,
  type LockRecord,
  type Waiter,
} from '@/server/core/lock/lock-record';
import { recordId } from '@/server/storage/record-id';
import type { RecordKey } from '@/server/storage/record-store';
import type { SimWorld } from './sim-world';

/** The kinds of events after which a request may begin again. */
const SERVED: ReadonlySet<string> = new Set(['granted', 'timeout']);

/** One step of a lock in the database; `at`: by the database's clock. */
interface LockStep {
  record: LockRecord;
  events: readonly LockEvent[];
  at: number;
}

/**
 * Checks that a caller that is still connected loses nothing because another call of its request
 * has hung up: neither a part of the lease that it received, nor its place in the queue.
 */
export class ReceivedReferee {
  /** The end of the lease of each hold that a connected caller received, by lock and token. */
  private readonly leases = new Map<string, number>();
  /** By lock: the waiter of each request, by its fingerprint, as it was last in the queue. */
  private readonly places = new Map<string, Map<string, Waiter>>();

  constructor(private readonly world: Pick<SimWorld, 'isCalm' | 'lossyStore'>) {}

  /** Called when a caller is answered that it holds the lock. */
  add(key: RecordKey, { token, expiresAt }: Hold): void {
    this.leases.set(`${recordId(key)} ${token}`, expiresAt);
  }

  /** The violations in a step, in words. */
  violations(id: string, step: LockStep): string[] {
    if (this.world.lossyStore) return [];
    return [...this.takenBack(id, step), ...(this.world.isCalm ? this.placesLost(id, step) : [])];
  }

  private takenBack(id: string, { record: { holds }, events }: LockStep): string[] {
    const reverted = events.flatMap(({ kind, token }) =>
      kind === 'late' && this.leases.has(`${id} ${token}`)
        ? [`${token} was received, and is taken back`]
        : [],
    );
    const shortened = holds.flatMap((hold) => {
      const { token, expiresAt } = hold;
      const lease = `${id} ${token}`;
      const known = this.leases.get(lease);
      if (known === undefined || isReleased(hold)) return [];
      this.leases.set(lease, expiresAt);
      return expiresAt < known ? [`the lease of ${token} was received, and is shortened`] : [];
    });
    return [...reverted, ...shortened];
  }

  /**
   * A request gets another ticket only if it was granted or timed out, and that was undone or just
   * too early, or if it had no open call for as long as its place is kept.
   */
  private placesLost(id: string, { record: { queue }, events, at }: LockStep): string[] {
    const places = this.places.get(id) ?? new Map<string, Waiter>();
    this.places.set(id, places);
    const served = new Set(events.flatMap(({ kind, owner }) => (SERVED.has(kind) ? owner : [])));
    for (const [tag, { owner }] of places) if (served.has(owner)) places.delete(tag);
    return queue.flatMap((waiter) => {
      const { tag, ticket, setSize } = waiter;
      const known = places.get(tag);
      places.set(tag, waiter);
      const isKept = (known?.detachedUntil ?? Number.POSITIVE_INFINITY) > at;
      if (!known || known.ticket === ticket || !isKept || setSize !== undefined) return [];
      return [`ticket ${known.ticket} lost its place, and is ${ticket} now`];
    });
  }
}
