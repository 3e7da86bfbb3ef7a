import type { RecordEvent } from '../../core/record-event';
import type { Clock } from '../../platform/clock';
import { isOwnRecord, recordId, recordKey } from '../../storage/record-id';
import type { Cursor, ReadRecord, RecordKey } from '../../storage/record-store';
import { HistoryTail } from '../history/history-tail';
import type { LockTable } from '../lock-list/table/lock-table';
import { RecordCompactor } from '../lock-list/table/record-compactor';
import type { GrantRate } from '../rollups/grant-rate';
import type { KnownBaselines } from '../rollups/known-baselines';
import type { CounterProjection } from './counter-projection';
import { DeletedNames } from './deleted-names';
import { type MonitoredBackend, publicId } from './monitored-backend';
import { ProjectionRow, rowId } from './projection-row';

const SCAN_PAGE = 200;
const READ_AT_ONCE = 500;

/** How often history is read at most before the records that it names are read. */
const POLLS_MAX = 50;

/** The pause until history is read again. */
const FOLLOW_PAUSE_MS = 150;

/**
 * The pause while more than `MANY_PER_SECOND` changes arrive and no page or watch follows them: a
 * record that changes often is then read less often, which saves up to 7 % of the processor.
 */
const LONG_FOLLOW_PAUSE_MS = 1_000;
const MANY_PER_SECOND = 2_000;

/** The pause until everything is read again: only that finds what other processes deleted. */
const RESYNC_PAUSE_MIN_MS = 15_000;
const RESYNC_PAUSE_MAX_MS = 10 * 60_000;

/** The share of time that reading everything again may take. */
const RESYNC_SHARE = 0.005;

/** Commits that may be in flight: ids allocated, records not visible to a scan yet. */
const IN_FLIGHT_MAX = 1_000;

interface Followed {
  tail: HistoryTail;
  /** The backend's epoch when everything was read. */
  epoch: number;
  /** By record, its last rev in the history; removed once the record has been read. */
  dirty: Map<string, number>;
  /** When the last reading began, on the monotonic clock. */
  followedAt: number;
  /** Whether many changes a second have arrived, and all of them were read. */
  isBusy: boolean;
}

/** Reads the records of backends into the projection, and again whenever history shows changes. */
export class RecordFollower {
  /** By backend: when the last reading up to its end began, on the monotonic clock. */
  readonly readAt = new Map<string, number>();
  private readonly followed = new Map<string, Followed>();
  /** By backend: how long it took to read everything. */
  private readonly resyncMs = new Map<string, number>();
  private readonly compactor = new RecordCompactor();
  private readonly deleted: DeletedNames;
  private isEnding = false;

  constructor(
    private readonly table: LockTable,
    private readonly counters: CounterProjection,
    private readonly baselines: KnownBaselines,
    private readonly grantRate: GrantRate,
    private readonly clock: Clock,
  ) {
    this.deleted = new DeletedNames(() => clock.monotonic());
  }

  /**
   * Reads every record that changed since the last call, unless this process wrote its last
   * revision. The first time, and after a loss of data, reads everything. If there are thousands of
   * commits, reads some of them; `readAt` advances when the rest is read too.
   *
   * @returns whether anything may have changed
   */
  async follow(backend: MonitoredBackend): Promise<boolean> {
    const known = this.followed.get(backend.id);
    const startedAt = this.clock.monotonic();
    const instant = this.clockOf(backend);
    let hasChanged = true;
    let isAtEnd = true;
    if (!known || known.epoch !== backend.epochOf()) isAtEnd = await this.load(backend);
    else {
      const { changes, records } = await this.readChanges(backend, known);
      isAtEnd = known.tail.isAtEnd;
      const perSecond = changes / ((startedAt - known.followedAt) / 1_000);
      known.isBusy = isAtEnd && perSecond > MANY_PER_SECOND;
      known.followedAt = startedAt;
      hasChanged = records > 0;
    }
    if (isAtEnd) {
      this.readAt.set(backend.id, startedAt);
      this.table.reads.note(backend.id, instant);
    }
    return hasChanged;
  }

  /**
   * The pause until `follow` is called again.
   *
   * @param isShown whether a page or a watch follows what changes
   */
  followPauseMs(backend: string, isShown: boolean): number {
    const isBusy = this.followed.get(backend)?.isBusy === true;
    return isBusy && !isShown ? LONG_FOLLOW_PAUSE_MS : FOLLOW_PAUSE_MS;
  }

  /** Makes every reading of all records end early, and discards its result. */
  end(): void {
    this.isEnding = true;
  }

  /** Reads everything again, and removes what is gone: a deletion leaves no history. */
  async resync(backend: MonitoredBackend): Promise<void> {
    // While the first reading is under way, a second one would only slow it down.
    if (this.followed.has(backend.id)) await this.readAll(backend);
  }

  /**
   * Reads every record of a backend.
   *
   * @param betweenPages called between two pages, as all of them can take minutes
   * @returns false: it ended early
   */
  private async readAll(backend: MonitoredBackend, betweenPages = async () => {}) {
    const startedAt = this.clock.monotonic();
    const ends = [this.table.beginResync(backend.id), this.counters.beginResync(backend.id)];
    let cursor: Cursor | null = { namespace: null, after: null };
    const slice = this.table.slice();
    while (cursor) {
      if (this.isEnding) return false;
      const page = await backend.store.scan(cursor, SCAN_PAGE);
      for (const read of page.records) this.apply(backend, read);
      cursor = page.next;
      if (slice.isOver) await slice.pause();
      await betweenPages();
    }
    for (const end of ends) await end();
    this.resyncMs.set(backend.id, this.clock.monotonic() - startedAt);
    return true;
  }

  /** The pause until everything is read again, in proportion to the time that takes. */
  resyncPauseMs(backend: string): number {
    const pauseMs = (this.resyncMs.get(backend) ?? 0) / RESYNC_SHARE;
    return Math.min(RESYNC_PAUSE_MAX_MS, Math.max(RESYNC_PAUSE_MIN_MS, pauseMs));
  }

  /** Reads the known names of a namespace again, and removes those gone; finds no new ones. */
  async resyncNamespace(backend: MonitoredBackend, namespace: string): Promise<void> {
    const keys: RecordKey[] = [];
    const ends = [
      this.table.beginResync(backend.id, namespace),
      this.counters.beginResync(backend.id, namespace),
    ];
    await this.table.slice().forEach(this.table.all(), ({ backend: id, key }) => {
      if (id === backend.id && key.namespace === namespace) keys.push(key);
    });
    await this.table.slice().forEach(this.counters.names(), ({ storeId, key }) => {
      if (storeId === backend.id && key.namespace === namespace) keys.push(key);
    });
    const slice = this.table.slice();
    for (let i = 0; i < keys.length; i += READ_AT_ONCE) {
      const { records } = await backend.store.read(keys.slice(i, i + READ_AT_ONCE), []);
      for (const read of records) if (read.record) this.apply(backend, read);
      if (slice.isOver) await slice.pause();
    }
    for (const end of ends) await end();
  }

  /**
   * Removes records that were deleted: that leaves no history to follow. A name that was used again
   * since stays, and so does one of which only a copy from before a reshard was deleted.
   */
  remove(backend: MonitoredBackend, keys: RecordKey[]): void {
    const now = this.clockOf(backend);
    for (const key of keys) {
      if (backend.shard?.owns(key) === false) continue;
      if (key.kind === 'counter') this.counters.removeDeleted(backend, key, now);
      else this.removeDeletedLock(rowId(publicId(backend), recordId(key)), now);
    }
  }

  /** Returns whether everything was read. Follows what was read while the rest is being read. */
  private async load(backend: MonitoredBackend): Promise<boolean> {
    const followedAt = this.clock.monotonic();
    const epoch = backend.epochOf();
    const end = await backend.store.historyEnd();
    const history = backend.history?.forTail() ?? backend.store;
    const tail = new HistoryTail(history, this.clock, Math.max(0, end - IN_FLIGHT_MAX));
    const begun = { tail, epoch, dirty: new Map<string, number>(), followedAt, isBusy: false };
    let changesReadAt = followedAt;
    const isWhole = await this.readAll(backend, async () => {
      if (this.clock.monotonic() - changesReadAt < LONG_FOLLOW_PAUSE_MS) return;
      changesReadAt = this.clock.monotonic();
      await this.readChanges(backend, begun);
    });
    if (isWhole) this.followed.set(backend.id, begun);
    return isWhole;
  }

  /** Reads the records that have changed. Returns their number, and the number of changes. */
  private async readChanges(backend: MonitoredBackend, known: Followed) {
    const changes = await this.readHistory(backend, known);
    const { dirty } = known;
    const records = dirty.size;
    await this.applyOwnWrites(backend, dirty);
    while (dirty.size > 0) await this.reread(backend, dirty);
    return { changes, records };
  }

  /** Returns how many changes it has read, perhaps not up to the end. */
  private async readHistory(backend: MonitoredBackend, { tail, dirty }: Followed): Promise<number> {
    const slice = this.table.slice();
    let read = 0;
    for (let poll = 0; poll < POLLS_MAX; poll += 1) {
      const rows = await tail.poll();
      const aheadMs = this.grantRate.aheadMs(backend.engine.health().clockOffsetMs);
      for (const { changes } of rows) {
        read += changes.length;
        for (const { key, rev, events } of changes) {
          if (isOwnRecord(key)) continue;
          const id = recordId(key);
          dirty.set(id, Math.max(rev, dirty.get(id) ?? 0));
          if (events.some(isTimeout)) this.baselines.note(rowId(publicId(backend), id), events);
          this.grantRate.note(events, aheadMs);
        }
        if (slice.isOver) await slice.pause();
      }
      if (tail.isAtEnd) break;
    }
    return read;
  }

  private async applyOwnWrites(
    backend: MonitoredBackend,
    dirty: Map<string, number>,
  ): Promise<void> {
    await this.table.slice().forEach(dirty, ([id, rev]) => {
      const key = recordKey(id);
      const cached = backend.engine.cachedLock(key, rev);
      if (!cached) return;
      const record = this.compactor.compact(cached.record);
      const row = ProjectionRow.of(rowSource(backend), key, cached.now, record);
      if (!this.deleted.has(row.id, row.rev)) this.table.store(row);
      dirty.delete(id);
    });
  }

  private async reread(backend: MonitoredBackend, dirty: Map<string, number>): Promise<void> {
    const ids = [...dirty.keys()].slice(0, READ_AT_ONCE);
    const records = await backend.engine.reread(ids.map(recordKey));
    for (const id of ids) dirty.delete(id);
    for (const read of records) this.apply(backend, read);
  }

  /** Stores a reading, unless a later one has overtaken it. */
  private apply(backend: MonitoredBackend, read: ReadRecord): void {
    const { key, record } = read;
    if (isOwnRecord(key) || backend.shard?.owns(key) === false) return;
    if (key.kind === 'counter') {
      this.counters.apply(backend, read);
      return;
    }
    const id = rowId(publicId(backend), recordId(key));
    if (!record) this.removeLock(id);
    else if (this.deleted.has(id, record.rev)) return;
    else if (!this.table.confirm(id, backend.id, record.rev)) {
      this.table.store(ProjectionRow.read(rowSource(backend), read, this.compactor));
    }
  }

  private removeDeletedLock(id: string, now: number): void {
    this.deleted.add(id, now);
    const row = this.table.byId(id);
    const isUsedAgain = row?.isReadable && !this.deleted.has(id, row.rev);
    if (!isUsedAgain) this.removeLock(id);
  }

  /** The backend's clock, by its last known offset. */
  private clockOf({ engine }: MonitoredBackend): number {
    return this.clock.now() + engine.health().clockOffsetMs;
  }

  private removeLock(id: string): void {
    this.table.remove(id);
    // Baselines may be known of a lock that was deleted before it was read.
    this.baselines.remove(id);
  }
}

const isTimeout = ({ kind }: RecordEvent) => kind === 'timeout';

const rowSource = (backend: MonitoredBackend) => ({ id: backend.id, publicId: publicId(backend) });
