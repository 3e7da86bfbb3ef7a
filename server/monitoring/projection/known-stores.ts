import type { BackendHealth } from '../../contract/console/backend-health';
import type { Clock } from '../../platform/clock';
import type { BackendState } from './monitored-backend';

/** What was read longer ago than this is not recorded as the present state. */
const FRESH_MS = 5_000;

type Store = Pick<BackendState, 'id' | 'engine'>;

/** For which stores this process knows the present state, not only what it read some time ago. */
export class KnownStores {
  /** By store: when it last did not respond, on the monotonic clock. */
  private readonly awayAt = new Map<string, number>();

  /** @param readAtOf when a store was read last, on the monotonic clock */
  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly readAtOf: (store: string) => number | undefined,
  ) {}

  /**
   * Whether a store responds, and has been read since it last did not respond. What was read before
   * an outage may be older than what other processes answer.
   */
  isKnown({ id, engine }: Store): boolean {
    if (!engine.health().reachable) {
      this.awayAt.set(id, this.clock.monotonic());
      return false;
    }
    const awayAt = this.awayAt.get(id);
    return awayAt === undefined || (this.readAtOf(id) ?? Number.NEGATIVE_INFINITY) >= awayAt;
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
    return { ...store.engine.health(), reachable: this.isKnown(store) };
  }

  /** The same stores with that health. */
  states(stores: readonly BackendState[]): BackendState[] {
    return stores.map((store) => ({
      ...store,
      engine: { health: () => this.healthOf(store) },
    }));
  }
}
