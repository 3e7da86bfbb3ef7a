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
import { LeanRecords } from '../lists/table/record-compactor';
import { type NamespaceTallies, tallyNamespaces } from '../metrics/tally-namespaces';
import { GrantRate } from '../rollups/grant-rate';
import { KnownNorms } from '../rollups/known-baselines';
import type { BoardParts } from './board-parts';
import { CounterBoard } from './counter-projection';
import { isOwn, MovedRecords } from './dirty-set';
import { LockDetails } from './lock-details';
import { listingFrame, makeLockListing, type RowsFrom } from './lock-listing';
import type { KeptName } from './names-on-shards';
import { BoardRow, rowId, withStatus } from './projection-row';
import { keeperOf, publicHealths, publicId, type ShardOf } from './shard-info';

/** One backend as the observers see it; of one with shards, each shard. */
export interface ObservedBackend {
  /** What its history is filed under. */
  id: string;
  store: RecordStore & HistorySource;
  engine: LockEngine;
  epochOf: () => number;
  shard?: ShardOf;
}

interface DueLock {
  backend: string;
  key: RecordKey;
  lapsed: boolean;
}

const SCAN_PAGE = 500;
const READ_AT_ONCE = 500;

/** Flushes that may be in flight: ids allocated, records not seen by a scan yet. */
const UNDER_WAY_MAX = 1_000;

/**
 * Every lock of every backend as this process last read it. The history says which records moved;
 * those are read again in batches, so a row is always a complete recent reading, never a sum of
 * events.
 *
 * While a backend does not respond its rows stay as last read, with the status `unknown`.
 */
export class LockBoard {
  /** The counters of the same backends. */
  readonly counters: CounterBoard;
  readonly grantRate: GrantRate;
  /** Follows and pages of the lock list. */
  readonly live: LiveLists;
  readonly table: LockTable;
  private readonly lists: LockLists;
  private readonly lean = new LeanRecords();
  /** By backend. */
  private readonly moved = new Map<string, MovedRecords>();
  /** By backend: when the last look began that was answered, on the clock that never steps. */
  readonly lookedAt = new Map<string, number>();
  /** By backend: the epoch in which everything was read. */
  private readonly epochs = new Map<string, number>();
  private readonly listeners = new Set<() => void>();
  private readonly backends: ObservedBackend[];
  private readonly clock: Clock;
  private readonly norms: KnownNorms;
  private readonly details: LockDetails;

  constructor(parts: BoardParts) {
    const { backends, clock, backendOf, policyOf, ownHoldOf, names, processId } = parts;
    this.backends = backends;
    this.clock = clock;
    this.counters = new CounterBoard(backends, clock, backendOf, names);
    this.grantRate = new GrantRate(clock);
    this.norms = new KnownNorms(policyOf, ownHoldOf);
    const normsOf = ({ id, key }: BoardRow) => this.norms.of(id, key);
    const slice = () => new TimeSlice(() => clock.monotonic(), processCpuMs);
    this.table = new LockTable({ backends, clock, normsOf, policyOf, names, slice });
    this.lists = new LockLists(this.table, clock, () => publicHealths(backends));
    this.live = new LiveLists(this.table, this.lists, clock, processId);
    this.details = new LockDetails({
      backends,
      clock,
      backendOf,
      policyOf,
      normsOf: (id, key) => this.norms.of(id, key),
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
    const frame = listingFrame(backend, parts, this.lookedAt, this.clock);
    await this.table.settle();
    const rowsFrom: RowsFrom = (isBefore) => this.table.listing.from(isBefore);
    return makeLockListing(rowsFrom, input, frame, this.table.slice());
  }

  /** How the locks of each namespace are used. */
  async tallies(): Promise<NamespaceTallies> {
    await this.table.settle();
    const whole = publicHealths(this.backends).filter(({ reachable }) => reachable);
    return tallyNamespaces(this.table.groups.list(), new Set(whole.map(({ id }) => id)));
  }

  /** How many locks there are in each namespace of each backend, and how they are. */
  async groups(): Promise<LockGroup[]> {
    await this.table.settle();
    return this.table.groups.list();
  }

  /** All locks together. */
  async counts(): Promise<LockCounts> {
    await this.table.settle();
    return this.table.groups.sum();
  }

  row(namespace: string, name: string): LockRow | null {
    for (const backend of this.backends) {
      const kept = this.table.byId(rowId(publicId(backend), recordId({ namespace, name })));
      if (kept?.backend === backend.id) return this.rowNow(kept, backend.engine.health());
    }
    return null;
  }

  /** Every name that is kept, and by which backend, or shard of it. */
  *keptNames(): Generator<KeptName> {
    for (const { backend, key } of this.table.all()) yield { keptBy: backend, key };
    yield* this.counters.keptNames();
  }

  /** The id of the shard that has this record, or the backend's own; null: unknown backend. */
  keeperId(backend: string, key: RecordKey): string | null {
    return keeperOf(this.backends, backend, key)?.id ?? null;
  }

  /** Locks to clean up: leases expired by the clock of their backend, and queues. */
  due(instants: ReadonlyMap<string, number>): DueLock[] {
    return Array.from(this.table.due(instants), ({ row: { backend, key }, lapsed }) => ({
      backend,
      key,
      lapsed,
    }));
  }

  /** Finds out what time has made of the locks. */
  settle(): Promise<void> {
    return this.table.settle();
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
  async load(backend: ObservedBackend): Promise<void> {
    const begunAt = this.clock.monotonic();
    const instant = this.clock.now() + backend.engine.health().clockOffsetMs;
    const epoch = backend.epochOf();
    const end = await backend.store.historyEnd();
    await this.heal(backend);
    const from = Math.max(0, end - UNDER_WAY_MAX);
    const tail = new HistoryTail(backend.store, this.clock, from);
    const note = (id: string, events: RecordEvent[]) => {
      this.norms.note(rowId(publicId(backend), id), events);
      this.grantRate.note(events, backend.engine.health().clockOffsetMs);
    };
    this.moved.set(backend.id, new MovedRecords(tail, note));
    this.epochs.set(backend.id, epoch);
    this.lookedAt.set(backend.id, begunAt);
    this.table.prove(backend.id, instant);
  }

  /** Reads everything again, and evicts what is gone: forgetting a lock leaves no history. */
  async heal(backend: ObservedBackend): Promise<void> {
    const ends = [this.table.beginReading(backend.id), this.counters.beginReading(backend.id)];
    let cursor: Cursor | null = { namespace: null, after: null };
    while (cursor) {
      const page = await backend.store.scan(cursor, SCAN_PAGE);
      for (const read of page.records) this.take(backend, read);
      cursor = page.next;
    }
    for (const end of ends) await end();
    this.tell();
  }

  /**
   * Follows the history: reads every record that moved since the last call, unless this process
   * wrote its last revision. A backend that has lost data is read in full.
   */
  async follow(backend: ObservedBackend): Promise<void> {
    const moved = this.moved.get(backend.id);
    const hasForgotten = this.epochs.get(backend.id) !== backend.epochOf();
    if (!moved || hasForgotten) return this.load(backend);
    const begunAt = this.clock.monotonic();
    const instant = this.clock.now() + backend.engine.health().clockOffsetMs;
    await moved.follow();
    const hasMoved = moved.revs.size > 0;
    await this.takeSeen(backend, moved.revs);
    while (moved.revs.size > 0) await this.readAgain(backend, moved.revs);
    this.lookedAt.set(backend.id, begunAt);
    this.table.prove(backend.id, instant);
    if (hasMoved) this.tell();
  }

  private async takeSeen(backend: ObservedBackend, revs: Map<string, number>): Promise<void> {
    const slice = this.table.slice();
    for (const [id, rev] of revs) {
      const key = recordKey(id);
      const seen = backend.engine.lastSeen(key, rev);
      if (!seen) continue;
      this.table.keep(BoardRow.of(keeperFor(backend), key, seen.now, this.lean.of(seen.record)));
      revs.delete(id);
      if (slice.isOver) await slice.pause();
    }
  }

  private async readAgain(backend: ObservedBackend, revs: Map<string, number>): Promise<void> {
    const ids = [...revs.keys()].slice(0, READ_AT_ONCE);
    const { records } = await backend.store.read(ids.map(recordKey), []);
    for (const id of ids) revs.delete(id);
    for (const read of records) this.take(backend, read);
  }

  /** Keeps a reading, unless a later one has overtaken it. */
  private take(backend: ObservedBackend, read: ReadRecord): void {
    if (isOwn(read.key) || backend.shard?.keeps(read.key) === false) return;
    if (read.key.kind === 'counter') this.counters.take(backend, read);
    else this.takeLock(backend, read);
  }

  private takeLock(backend: ObservedBackend, read: ReadRecord): void {
    const id = rowId(publicId(backend), recordId(read.key));
    if (!read.record) this.forget(id);
    else if (!this.table.meet(id, backend.id, read.record.rev)) {
      this.table.keep(BoardRow.read(keeperFor(backend), read, this.lean));
    }
  }

  forget(id: string): void {
    this.table.forget(id);
    this.norms.drop(id);
  }

  tell(): void {
    for (const listener of this.listeners) listener();
  }

  private rowNow(kept: BoardRow, health: BackendHealth): LockRow {
    const now = this.clock.now() + health.clockOffsetMs;
    const row = withStatus(kept, this.norms.of(kept.id, kept.key), now, health.reachable);
    const isSilent = !health.reachable && kept.isReadable;
    return isSilent ? { ...row, readAt: this.table.readAt(kept) } : row;
  }
}

const keeperFor = (backend: ObservedBackend) => ({ id: backend.id, shownAs: publicId(backend) });
