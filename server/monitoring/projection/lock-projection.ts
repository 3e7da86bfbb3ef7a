import type { LockListInput } from '../../contract/console/console-inputs';
import type { BackendHealth, LockDetail, LockPage, LockRow } from '../../contract/console/lock-row';
import type { ListAnswer } from '../../contract/lock/answers';
import type { ListInput } from '../../contract/lock/inputs';
import type { RecordEvent } from '../../core/record-event';
import type { LockEngine } from '../../engine/lock-engine';
import { type Clock, processCpuMs } from '../../platform/clock';
import { recordId, recordKey } from '../../storage/record-id';
import type {
  Cursor,
  HistorySource,
  ReadRecord,
  RecordKey,
  RecordStore,
} from '../../storage/record-store';
import { HistoryTail } from '../history/history-tail';
import { LiveLists } from '../lists/live-lists';
import { LockLists } from '../lists/lock-lists';
import { TimeSlice } from '../lists/order/time-slice';
import type { LockCounts, LockGroup } from '../lists/table/lock-groups';
import { LockTable } from '../lists/table/lock-table';
import { RecordCompactor } from '../lists/table/record-compactor';
import { type NamespaceTallies, tallyNamespaces } from '../metrics/tally-namespaces';
import { GrantRate } from '../rollups/grant-rate';
import { KnownBaselines } from '../rollups/known-baselines';
import { CounterProjection } from './counter-projection';
import { DirtySet, isInternal } from './dirty-set';
import { LockDetails } from './lock-details';
import { buildLockListing, listingFrame, type RowsFrom } from './lock-listing';
import type { LockProjectionOptions } from './lock-projection-options';
import type { StoredName } from './names-on-shards';
import { ProjectionRow, rowId, toLockRowAt } from './projection-row';
import { locateStore, publicHealths, publicId, type ShardInfo } from './shard-info';

/** One backend as the observers see it; of one with shards, each shard. */
export interface MonitoredBackend {
  /** What its history is filed under. */
  id: string;
  store: RecordStore & HistorySource;
  engine: LockEngine;
  epochOf: () => number;
  shard?: ShardInfo;
}

interface DueLock {
  backend: string;
  key: RecordKey;
  expired: boolean;
}

const SCAN_PAGE = 500;
const READ_AT_ONCE = 500;

/** Flushes that may be in flight: ids allocated, records not seen by a scan yet. */
const IN_FLIGHT_MAX = 1_000;

/**
 * Every lock of every backend as this process last read it. The history says which records moved;
 * those are read again in batches, so a row is always a complete recent reading, never a sum of
 * events.
 *
 * While a backend does not respond its rows stay as last read, with the status `unknown`.
 */
export class LockProjection {
  /** The counters of the same backends. */
  readonly counters: CounterProjection;
  readonly grantRate: GrantRate;
  /** Follows and pages of the lock list. */
  readonly live: LiveLists;
  readonly table: LockTable;
  private readonly lists: LockLists;
  private readonly compactor = new RecordCompactor();
  /** By backend. */
  private readonly dirty = new Map<string, DirtySet>();
  /** By backend: when the last look began that was answered, on the clock that never steps. */
  readonly readAt = new Map<string, number>();
  /** By backend: the epoch in which everything was read. */
  private readonly epochs = new Map<string, number>();
  private readonly listeners = new Set<() => void>();
  private readonly backends: MonitoredBackend[];
  private readonly clock: Clock;
  private readonly baselines: KnownBaselines;
  private readonly details: LockDetails;

  constructor(parts: LockProjectionOptions) {
    const { backends, clock, backendOf, policyOf, baselineOf, names, processId, log } = parts;
    this.backends = backends;
    this.clock = clock;
    this.counters = new CounterProjection(backends, clock, backendOf, names);
    this.grantRate = new GrantRate(clock);
    this.baselines = new KnownBaselines(policyOf, baselineOf);
    const baselinesOf = ({ id, key }: ProjectionRow) => this.baselines.of(id, key);
    const slice = () => new TimeSlice(() => clock.monotonic(), processCpuMs);
    this.table = new LockTable({ backends, clock, baselinesOf, policyOf, names, slice });
    this.lists = new LockLists(this.table, clock, () => publicHealths(backends));
    this.live = new LiveLists(this.table, this.lists, clock, processId, log);
    this.details = new LockDetails({
      backends,
      clock,
      backendOf,
      policyOf,
      baselinesOf: (id, key) => this.baselines.of(id, key),
      rowOf: (namespace, name) => this.row(namespace, name),
    });
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
  async listing(backend: string, input: ListInput): Promise<ListAnswer> {
    const parts = this.backends.filter((one) => publicId(one) === backend);
    const frame = listingFrame(backend, parts, this.readAt, this.clock);
    await this.table.refresh();
    const rowsFrom: RowsFrom = (isBefore) => this.table.listing.from(isBefore);
    return buildLockListing(rowsFrom, input, frame, this.table.slice());
  }

  /** How the locks of each namespace are used. */
  async tallies(): Promise<NamespaceTallies> {
    await this.table.refresh();
    const whole = publicHealths(this.backends).filter(({ reachable }) => reachable);
    return tallyNamespaces(this.table.groups.list(), new Set(whole.map(({ id }) => id)));
  }

  /** How many locks there are in each namespace of each backend, and how they are. */
  async groups(): Promise<LockGroup[]> {
    await this.table.refresh();
    return this.table.groups.list();
  }

  /** All locks together. */
  async counts(): Promise<LockCounts> {
    await this.table.refresh();
    return this.table.groups.sum();
  }

  row(namespace: string, name: string): LockRow | null {
    for (const backend of this.backends) {
      const kept = this.table.byId(rowId(publicId(backend), recordId({ namespace, name })));
      if (kept?.backend === backend.id) return this.currentRow(kept, backend.engine.health());
    }
    return null;
  }

  /** Every name that is kept, and by which backend, or shard of it. */
  *names(): Generator<StoredName> {
    for (const { backend, key } of this.table.all()) yield { storeId: backend, key };
    yield* this.counters.names();
  }

  /** The id of the shard that has this record, or the backend's own; null: unknown backend. */
  storeIdOf(backend: string, key: RecordKey): string | null {
    return locateStore(this.backends, backend, key)?.id ?? null;
  }

  /** Locks to clean up: leases expired by the clock of their backend, and queues. */
  dueForExpiry(instants: ReadonlyMap<string, number>): DueLock[] {
    const due = this.table.dueForExpiry(instants);
    return Array.from(due, ({ row, expired }) => ({ backend: row.backend, key: row.key, expired }));
  }

  /** Finds out what time has made of the locks. */
  refresh(): Promise<void> {
    return this.table.refresh();
  }

  /**
   * Notifies, at most a few times a second, that something moved. Returns the unsubscribe function.
   */
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

  /** Reads everything, and follows from there. */
  async load(backend: MonitoredBackend): Promise<void> {
    const begunAt = this.clock.monotonic();
    const instant = this.clock.now() + backend.engine.health().clockOffsetMs;
    const epoch = backend.epochOf();
    const end = await backend.store.historyEnd();
    await this.resync(backend);
    const from = Math.max(0, end - IN_FLIGHT_MAX);
    const tail = new HistoryTail(backend.store, this.clock, from);
    const note = (id: string, events: RecordEvent[]) => {
      this.baselines.note(rowId(publicId(backend), id), events);
      this.grantRate.note(events, backend.engine.health().clockOffsetMs);
    };
    this.dirty.set(backend.id, new DirtySet(tail, note));
    this.epochs.set(backend.id, epoch);
    this.readAt.set(backend.id, begunAt);
    this.table.noteReadUpTo(backend.id, instant);
  }

  /** Reads everything again, and evicts what is gone: forgetting a lock leaves no history. */
  async resync(backend: MonitoredBackend): Promise<void> {
    const ends = [this.table.beginResync(backend.id), this.counters.beginResync(backend.id)];
    let cursor: Cursor | null = { namespace: null, after: null };
    while (cursor) {
      const page = await backend.store.scan(cursor, SCAN_PAGE);
      for (const read of page.records) this.apply(backend, read);
      cursor = page.next;
    }
    for (const end of ends) await end();
    this.notify();
  }

  /**
   * Follows the history: reads every record that moved since the last call, unless this process
   * wrote its last revision. A backend that has lost data is read in full.
   */
  async follow(backend: MonitoredBackend): Promise<void> {
    const dirty = this.dirty.get(backend.id);
    const hasLostData = this.epochs.get(backend.id) !== backend.epochOf();
    if (!dirty || hasLostData) return this.load(backend);
    const begunAt = this.clock.monotonic();
    const instant = this.clock.now() + backend.engine.health().clockOffsetMs;
    await dirty.follow();
    const hasChanged = dirty.revs.size > 0;
    await this.applyOwnWrites(backend, dirty.revs);
    while (dirty.revs.size > 0) await this.reread(backend, dirty.revs);
    this.readAt.set(backend.id, begunAt);
    this.table.noteReadUpTo(backend.id, instant);
    if (hasChanged) this.notify();
  }

  private async applyOwnWrites(
    backend: MonitoredBackend,
    revs: Map<string, number>,
  ): Promise<void> {
    const slice = this.table.slice();
    for (const [id, rev] of revs) {
      const key = recordKey(id);
      const seen = backend.engine.cachedLock(key, rev);
      if (!seen) continue;
      this.table.store(
        ProjectionRow.of(rowSource(backend), key, seen.now, this.compactor.compact(seen.record)),
      );
      revs.delete(id);
      if (slice.isOver) await slice.pause();
    }
  }

  private async reread(backend: MonitoredBackend, revs: Map<string, number>): Promise<void> {
    const ids = [...revs.keys()].slice(0, READ_AT_ONCE);
    const { records } = await backend.store.read(ids.map(recordKey), []);
    for (const id of ids) revs.delete(id);
    for (const read of records) this.apply(backend, read);
  }

  /** Keeps a reading, unless a later one has overtaken it. */
  private apply(backend: MonitoredBackend, read: ReadRecord): void {
    if (isInternal(read.key) || backend.shard?.owns(read.key) === false) return;
    if (read.key.kind === 'counter') this.counters.apply(backend, read);
    else this.applyLock(backend, read);
  }

  private applyLock(backend: MonitoredBackend, read: ReadRecord): void {
    const id = rowId(publicId(backend), recordId(read.key));
    if (!read.record) this.remove(id);
    else if (!this.table.confirm(id, backend.id, read.record.rev)) {
      this.table.store(ProjectionRow.read(rowSource(backend), read, this.compactor));
    }
  }

  remove(id: string): void {
    this.table.remove(id);
    this.baselines.remove(id);
  }

  notify(): void {
    for (const listener of this.listeners) listener();
  }

  private currentRow(kept: ProjectionRow, health: BackendHealth): LockRow {
    const now = this.clock.now() + health.clockOffsetMs;
    const row = toLockRowAt(kept, this.baselines.of(kept.id, kept.key), now, health.reachable);
    const isSilent = !health.reachable && kept.isReadable;
    return isSilent ? { ...row, readAt: this.table.readAt(kept) } : row;
  }
}

const rowSource = (backend: MonitoredBackend) => ({ id: backend.id, publicId: publicId(backend) });
