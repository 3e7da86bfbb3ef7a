import type { BackendHealth } from '../../contract/console/backend-health';
import { SECOND_MS } from '../../core/time-units';
import type { Clock } from '../../platform/clock';
import { type BackendState, publicHealths } from './monitored-backend';

/** What was read longer ago than this is not recorded as the present state. */
const FRESH_MS = 5_000;

type Store = Pick<BackendState, 'id' | 'engine'>;

/** Decides of which stores this process knows the present state, not only an earlier one. */
export class KnownStores {
  /** By store: when it last did not respond, on the monotonic clock. */
  private readonly silentAt = new Map<string, number>();
  private readonly startedAt: number;

  /** @param readAtOf when a store was read last, on the monotonic clock */
  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly readAtOf: (store: string) => number | undefined,
  ) {
    this.startedAt = clock.monotonic();
  }

  /** Whether all of a store has been read since this process started. */
  isRead({ id }: Pick<Store, 'id'>): boolean {
    return this.readAtOf(id) !== undefined;
  }

  /**
   * Whether a store responds, and has been read since it last did not respond. What was read before
   * an outage may be older than what other processes answer.
   */
  isKnown({ id, engine }: Store): boolean {
    if (!engine.health().reachable) {
      this.silentAt.set(id, this.clock.monotonic());
      return false;
    }
    const silentAt = this.silentAt.get(id);
    return silentAt === undefined || (this.readAtOf(id) ?? Number.NEGATIVE_INFINITY) >= silentAt;
  }

  /**
   * Whether the store is known and was read within the last seconds: this process was not
   * suspended.
   */
  isFresh(store: Store): boolean {
    const readAt = this.readAtOf(store.id) ?? Number.NEGATIVE_INFINITY;
    return this.isKnown(store) && this.clock.monotonic() - readAt < FRESH_MS;
  }

  /** Its health; after an outage it counts as reachable only when it was read again. */
  healthOf(store: Store): BackendHealth {
    return { ...this.ownHealthOf(store), reachable: this.isKnown(store) };
  }

  /** The health of each backend as users know it. */
  publicHealths(stores: readonly BackendState[]): BackendHealth[] {
    return publicHealths(
      stores.map((store) => ({ ...store, engine: { health: () => this.ownHealthOf(store) } })),
    );
  }

  /** The stores with the health that `healthOf` returns. */
  states(stores: readonly BackendState[]): BackendState[] {
    return stores.map((store) => ({
      ...store,
      engine: { health: () => this.healthOf(store) },
    }));
  }

  private ownHealthOf(store: Store): BackendHealth {
    const health = store.engine.health();
    if (this.isRead(store)) return health;
    const sinceMs = this.clock.monotonic() - this.startedAt;
    return { ...health, unreadForMs: Math.floor(sinceMs / SECOND_MS) * SECOND_MS };
  }
}
