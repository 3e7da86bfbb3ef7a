import type { BackendHealth } from '../../contract/console/backend-health';
import type { LockListInput } from '../../contract/console/console-inputs';
import type { LockDetail, LockPage, LockRow } from '../../contract/console/lock-row';
import type { ListAnswer } from '../../contract/lock/answers';
import type { ListInput } from '../../contract/lock/inputs';
import type { LockRecord } from '../../core/lock/lock-record';
import { totalBlockingMs } from '../../core/status/blocking-time';
import type { NameCount } from '../../engine/names/name-count';
import { type Clock, processCpuMs } from '../../platform/clock';
import type { Log } from '../../platform/log';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import type { HolderEvidence } from '../liveness/holder-evidence';
import { LockListPages } from '../lock-list/lock-list-pages';
import { LockListStreams } from '../lock-list/lock-list-streams';
import { TimeSlice } from '../lock-list/order/time-slice';
import type { LockCounts, LockGroup } from '../lock-list/table/lock-groups';
import { LockTable } from '../lock-list/table/lock-table';
import { KnownRefusals } from '../refusals/known-refusals';
import { GrantRate } from '../rollups/grant-rate';
import type { HoldBaselines } from '../rollups/hold-baselines';
import { KnownBaselines } from '../rollups/known-baselines';
import { AnswerTurns } from '../watch/answer-turns';
import { LockWatches } from '../watch/lock-watches';
import { WatchJournals } from '../watch/watch-journals';
import { WatchReader } from '../watch/watch-reader';
import { CounterProjection } from './counter-projection';
import { KnownStores } from './known-stores';
import { LockDetails } from './lock-details';
import {
  locateStore,
  type MonitoredBackend,
  type NamespaceLookup,
  publicId,
} from './monitored-backend';
import type { StoredName } from './names-on-shards';
import { type NamespaceTallies, tallyNamespaces } from './namespace-tallies';
import { type ProjectionRow, rowId, toLockRowAt } from './projection-row';
import { RecordFollower } from './record-follower';
import { buildServiceLockListing, listingFrame, type RowsFrom } from './service-lock-listing';

export interface LockProjectionOptions {
  backends: MonitoredBackend[];
  clock: Clock;
  log: Log;
  namespaces: NamespaceLookup;
  holdBaselines: HoldBaselines;
  /** Absent: no refused attempts are known. */
  refusals?: KnownRefusals;
  /** Notified of every name that is added or removed. */
  names: NameCount;
  /** Evidence on the processes that hold locks. */
  evidence: HolderEvidence;
  /** Unique to this process. */
  processId: string;
  /** Divides long work; absent: by the clock. */
  slice?: () => TimeSlice;
}

interface DueLock extends Pick<ProjectionRow, 'backend' | 'key' | 'rev'> {
  expired: boolean;
}

/**
 * Every lock of every backend as this process last read it. The history shows which records
 * changed; those are read again in batches, so a row is always a complete recent reading, never a
 * sum of events.
 *
 * While a backend does not respond, and until it has been read after that, its rows stay as last
 * read, with the status `unknown`.
 */
export class LockProjection {
  /** The counters of the same backends. */
  readonly counters: CounterProjection;
  readonly grantRate: GrantRate;
  /** Live streams of the lock list. */
  readonly live: LockListStreams;
  /** The watches of services. */
  readonly watches: LockWatches;
  readonly table: LockTable;
  /** Of which stores the present state is known. */
  readonly stores: KnownStores;
  private readonly lists: LockListPages;
  private readonly listeners = new Set<() => void>();
  private readonly backends: MonitoredBackend[];
  private readonly clock: Clock;
  readonly baselines: KnownBaselines;
  private readonly details: LockDetails;
  private readonly follower: RecordFollower;

  constructor(parts: LockProjectionOptions) {
    const { backends, clock, namespaces, holdBaselines, names, processId, log } = parts;
    const { refusals = new KnownRefusals(), evidence } = parts;
    this.backends = backends;
    this.clock = clock;
    this.grantRate = new GrantRate(clock);
    this.baselines = new KnownBaselines(namespaces, holdBaselines, refusals, evidence);
    const { slice = () => new TimeSlice(() => clock.monotonic(), processCpuMs) } = parts;
    this.stores = new KnownStores(clock, (id) => this.follower.readAt.get(id));
    this.counters = new CounterProjection(backends, clock, namespaces, names, this.stores);
    const journals = new WatchJournals(backends, clock, this.stores);
    this.table = new LockTable({
      journals: {
        replaced: (before, after) => {
          journals.replaced(before, after);
          evidence.replaced(before, after);
          if (before && !after) this.baselines.remove(before.id);
        },
        turned: (row) => journals.turned(row),
      },
      backends: this.stores.states(backends),
      clock,
      baselines: this.baselines,
      namespaces,
      names,
      slice,
    });
    const turns = new AnswerTurns(slice, () => clock.monotonic());
    this.lists = new LockListPages(this.table, clock, () => this.healths(), turns);
    this.live = new LockListStreams(this.table, this.lists, clock, processId, log);
    const { table, counters, baselines, grantRate } = this;
    this.follower = new RecordFollower(table, counters, baselines, grantRate, clock);
    const reader = new WatchReader(table, backends, this.follower.readAt, clock, journals);
    this.watches = new LockWatches(journals, reader, slice, clock, processId, log);
    for (const each of [evidence, holdBaselines]) each.onChange((rowId) => table.recheck(rowId));
    this.details = new LockDetails(backends, clock, namespaces, baselines, evidence, this);
  }

  /** A window into the lock list: filtered and sorted, worst first by default. Reads no backend. */
  page(input: LockListInput): Promise<LockPage> {
    return this.lists.page(input, this.live.isSlowed);
  }

  /**
   * Locks of one namespace by name, page by page. Does not read the backend.
   *
   * @throws LockyardError `BACKEND_DOWN` before the first reading of the backend
   */
  async listing(backend: string, input: ListInput, viewer: string): Promise<ListAnswer> {
    const own = this.backends.filter((one) => publicId(one) === backend);
    const parts = this.stores.states(own);
    const frame = listingFrame(backend, parts, this.follower.readAt, this.clock);
    await this.table.refresh();
    const rowsFrom: RowsFrom = (isBefore) => this.table.listing.from(isBefore);
    return buildServiceLockListing(rowsFrom, input, { frame, viewer }, this.table.slice());
  }

  /** How the locks of each namespace are used. */
  async tallies(): Promise<NamespaceTallies> {
    await this.table.refresh();
    const unknown = new Set(this.backends.filter((one) => !this.isWhole(one)).map(publicId));
    const whole = this.backends.map(publicId).filter((id) => !unknown.has(id));
    return tallyNamespaces(this.table.groups.list(), new Set(whole));
  }

  /** How many locks there are in each namespace of each backend, and in which states. */
  async groups(): Promise<LockGroup[]> {
    await this.table.refresh();
    return this.table.groups.list();
  }

  /**
   * All locks together, with their total blocking time in ms; `isWhole`: those of every backend
   * are known.
   */
  async counts(): Promise<LockCounts & { blockingMs: number; isWhole: boolean }> {
    await this.table.refresh();
    const sum = this.table.groups.sum();
    const now = this.clock.now() - this.table.columns.blockedOrigin;
    const isWhole = this.backends.every((one) => this.isWhole(one));
    return { ...sum, blockingMs: totalBlockingMs(sum.blocked, now), isWhole };
  }

  /** The health of each backend, as users know it. */
  healths(): BackendHealth[] {
    return this.stores.publicHealths(this.backends);
  }

  /** @param backend its id as users know it */
  record(backend: string, key: RecordKey): LockRecord | null {
    return this.table.byId(rowId(backend, recordId(key)))?.record ?? null;
  }

  row(namespace: string, name: string): LockRow | null {
    for (const backend of this.backends) {
      const row = this.table.byId(rowId(publicId(backend), recordId({ namespace, name })));
      if (row?.backend === backend.id) return this.currentRow(row, this.stores.healthOf(backend));
    }
    return null;
  }

  /** Every name, and the backend or shard that keeps it. */
  *names(): Generator<StoredName> {
    for (const { backend, key } of this.table.all()) yield { storeId: backend, key };
    yield* this.counters.names();
  }

  /** The id of the shard that has this record, or the backend's own; null: unknown backend. */
  storeIdOf(backend: string, key: RecordKey): string | null {
    return locateStore(this.backends, backend, key)?.id ?? null;
  }

  /** The clock of the backend or shard that has this record minus this process's; 0: unknown. */
  clockOffsetMs(backend: string, key: RecordKey): number {
    return locateStore(this.backends, backend, key)?.engine.health().clockOffsetMs ?? 0;
  }

  /** Locks to clean up: leases expired by the clock of their backend, and queues. */
  dueForExpiry(instants: ReadonlyMap<string, number>): DueLock[] {
    const due = this.table.dueForExpiry(instants);
    const asRead = ({ backend, key, rev }: ProjectionRow) => ({ backend, key, rev });
    return Array.from(due, ({ row, expired }) => ({ ...asRead(row), expired }));
  }

  /** Calls a listener on changes, at most a few times a second. Returns how to unsubscribe. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * A lock, read now; while its backend does not respond, the last good reading, marked as such.
   *
   * @throws LockyardError `NOT_FOUND` for an unknown namespace, `BACKEND_DOWN` without any reading
   */
  async detail(namespace: string, name: string): Promise<LockDetail> {
    return this.details.read(namespace, name);
  }

  /** Ends streams and watches, and soon any reading: a first one can take minutes. */
  close(): Promise<void> {
    this.follower.end();
    this.live.close();
    return this.watches.close();
  }

  /** Reads everything of a backend again, and removes what is gone. */
  async resync(backend: MonitoredBackend): Promise<void> {
    await this.follower.resync(backend);
    this.notify();
  }

  /** The pause until all of a backend is read again. */
  resyncPauseMs({ id }: Pick<MonitoredBackend, 'id'>): number {
    return this.follower.resyncPauseMs(id);
  }

  /** Removes those names of a namespace that are gone. */
  async resyncNamespace(backend: MonitoredBackend, namespace: string): Promise<void> {
    await this.follower.resyncNamespace(backend, namespace);
    this.notify();
  }

  /** Reads what has changed on a backend since the last call; see `RecordFollower`. */
  async follow(backend: MonitoredBackend): Promise<void> {
    if (await this.follower.follow(backend)) this.notify();
  }

  /** Returns a function for the pause until `follow` is called again, in milliseconds. */
  followPause({ id }: Pick<MonitoredBackend, 'id'>): () => number {
    return () => {
      const followers = this.listeners.size + this.live.readers + this.watches.count;
      return this.follower.followPauseMs(id, followers > 0);
    };
  }

  /** Whether all of a backend has been read. @param id as users know it */
  isRead(id: string): boolean {
    const own = this.backends.filter((backend) => publicId(backend) === id);
    return own.length > 0 && own.every((store) => this.stores.isRead(store));
  }

  /** Removes records that were deleted. */
  remove(backend: MonitoredBackend, keys: RecordKey[]): void {
    this.follower.remove(backend, keys);
    if (keys.length > 0) this.notify();
  }

  /** Whether all of the present state of a backend or shard is known. */
  private isWhole(backend: MonitoredBackend): boolean {
    return this.stores.isRead(backend) && this.stores.isKnown(backend);
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }

  private currentRow(entry: ProjectionRow, health: BackendHealth): LockRow {
    const now = this.clock.now() + health.clockOffsetMs;
    const baselines = this.baselines.of(entry.id, entry.key);
    const trend = this.table.queueTrend(entry.id);
    const bare = { ...toLockRowAt(entry, baselines, now, health.reachable), ...trend };
    const row = this.baselines.complete(bare);
    const isSilent = !health.reachable && entry.isReadable;
    return isSilent ? { ...row, readAt: this.table.reads.of(entry) } : row;
  }
}
