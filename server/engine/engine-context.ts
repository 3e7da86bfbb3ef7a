import type { BackendLoss } from '../contract/console/backend-health';
import type { LockyardError } from '../contract/errors';
import type { DecidingPolicy } from '../core/decision';
import type { Clock } from '../platform/clock';
import type { Change, RecordKey, RecordStore, SwapResult } from '../storage/record-store';
import { RecordCache } from './commit/record-cache';
import { Membership } from './membership';
import type { NewNameObserver } from './names/name-count';
import { StoreClock } from './store-clock';
import { WaiterRegistry } from './waiting/waiter-registry';

export interface EngineOptions {
  backend: string;
  /** The scheme of the backend's URL, as shown to people. */
  kind: string;
  store: RecordStore;
  /** The epoch in every token. It rises when the backend has lost data, even at run time. */
  epochOf: () => number;
  /** The last data loss of the backend. Absent: its store cannot lose data. */
  lossOf?: () => BackendLoss | null;
  clock: Clock;
  /** Unique over all processes for ever. At most 12 letters and digits. */
  processId: string;
  /** Returns a text of about 11 characters that is unique for ever. */
  newWriter: () => string;
  /** Called when the backend's clock was set: by at least this many ms, negative if back. */
  onClockStep?: (ms: number) => void;
  /**
   * Called when a command on this record, or on these locks of a multi-lock, failed because of a
   * fault of Lockyard: it would have broken an invariant, or the code has an error.
   */
  onFault?: (key: RecordKey, error: LockyardError) => void;
  /** Receives the changes sent to the store, and its results. */
  onSwap?: (changes: readonly Change[], results: readonly SwapResult[]) => void;
  /** The present policy of a namespace. */
  policyOf: (namespace: string) => DecidingPolicy;
  /** Learns of every record that is created. Absent: names are not counted. */
  names?: NewNameObserver;
}

const CACHED_RECORDS_MAX = 20_000;

const UNCOUNTED: NewNameObserver = { creating: () => {}, finished: () => {} };

/** The state that all parts of one engine share: its store, clock, members, waiters and cache. */
export class EngineContext {
  readonly store: RecordStore;
  readonly names: NewNameObserver;
  readonly storeClock: StoreClock;
  readonly membership: Membership;
  readonly waiters: WaiterRegistry;
  readonly cache = new RecordCache(CACHED_RECORDS_MAX);

  constructor(readonly options: EngineOptions) {
    this.store = options.store;
    this.names = options.names ?? UNCOUNTED;
    this.storeClock = new StoreClock(() => options.clock.monotonic(), options.onClockStep);
    this.membership = new Membership(options, this.storeClock);
    this.waiters = new WaiterRegistry();
  }

  /** This process's monotonic clock, in milliseconds. */
  monotonic(): number {
    return this.options.clock.monotonic();
  }

  /**
   * Adds what a read or a swap reported of the backend's clock. Decisions from the cache are then
   * dated no earlier than those from what was read before, also where the store only reports a
   * lower bound.
   *
   * @param sentAt when the request was sent, on the monotonic clock
   */
  observeClock(now: number, sentAt: number): void {
    if (this.store.estimatesClock) this.storeClock.observeAtLeast(now);
    else this.storeClock.observe(now, sentAt);
  }

  /**
   * The latest possible present instant of the backend's clock, after a read whose clock was
   * `shown`: later where the store only reports a lower bound of it.
   */
  latestAfterRead(shown: number): number {
    if (!this.store.estimatesClock) return shown;
    return Math.max(shown, this.storeClock.atMost() ?? shown);
  }

  /**
   * The most that can have passed on the backend's clock since a read whose clock was `shown`.
   *
   * @param startedAt when the read began, on the monotonic clock
   */
  elapsedSinceRead(startedAt: number, shown: number): number {
    return Math.max(this.monotonic() - startedAt, this.latestAfterRead(shown) - shown);
  }
}
