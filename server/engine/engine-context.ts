import type { BackendLoss } from '../contract/console/backend-health';
import type { DecidingPolicy } from '../core/decision';
import type { BrokenInvariant } from '../core/record-invariants';
import type { Clock } from '../platform/clock';
import type { Change, RecordKey, RecordStore, SwapResult } from '../storage/record-store';
import { RecordCache } from './commit/record-cache';
import { Membership } from './membership';
import type { NewNameObserver } from './names/name-count';
import { StoreClock } from './store-clock';
import { WaiterRegistry } from './waiting/waiter-registry';

export interface EngineOptions {
  backend: string;
  /** The scheme of the backend's URL, for people. */
  kind: string;
  store: RecordStore;
  /** Part of every token. It rises, also while the process runs, when the backend has lost data. */
  epochOf: () => number;
  /** The last time that the backend lost data. Absent: its store cannot. */
  lossOf?: () => BackendLoss | null;
  clock: Clock;
  /** Unlike any other process's, ever. At most 12 letters and digits. */
  processId: string;
  /** 11 characters or so, unlike any other, ever. */
  newWriter: () => string;
  /** Called when the backend's clock was set: by at least how many ms, negative if back. */
  onClockStep?: (ms: number) => void;
  /**
   * Called when a command on this record, or on these locks of a multi-lock, was refused because it
   * would have broken an invariant: a fault of Lockyard.
   */
  onBrokenInvariant?: (key: RecordKey, error: BrokenInvariant) => void;
  /** Receives what the store was asked to change, and what it has answered. */
  onSwap?: (changes: readonly Change[], results: readonly SwapResult[]) => void;
  /** What a namespace allows, as known at this moment. */
  policyOf: (namespace: string) => DecidingPolicy;
  /** Receives every record that is created. Absent: records are not counted. */
  names?: NewNameObserver;
}

const CACHED_RECORDS_MAX = 20_000;

const UNCOUNTED: NewNameObserver = { creating: () => {}, finished: () => {} };

/** What all parts of one engine share: its store, and what it knows of its backend and callers. */
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

  /** This process's clock that never steps, in milliseconds. */
  monotonic(): number {
    return this.options.clock.monotonic();
  }
}
