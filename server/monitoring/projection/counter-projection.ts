import type { CounterListInput } from '../../contract/console/counter-inputs';
import type { CounterDetail, CounterPage, CounterRow } from '../../contract/console/counter-row';
import { LockyardError } from '../../contract/errors';
import type { LockEngine } from '../../engine/lock-engine';
import type { NameCount } from '../../engine/names/name-count';
import type { Clock } from '../../platform/clock';
import { decodeCounter } from '../../storage/codec/counter-codec';
import { recordId } from '../../storage/record-id';
import type { ReadRecord, RecordKey, RecordStore } from '../../storage/record-store';
import { TimeSlice } from '../lock-list/order/time-slice';
import { type CounterEntry, CounterTable } from './counter-table';
import { DeletedNames } from './deleted-names';
import type { KnownStores } from './known-stores';
import {
  keeperOf,
  type NamespaceLookup,
  notServing,
  publicId,
  recordHealth,
  requireStore,
  type ShardInfo,
} from './monitored-backend';
import type { StoredName } from './names-on-shards';

/** A counter as its backend has it. */
type CounterReading = Omit<CounterDetail, 'gate'>;

/** The parts of a backend that counters need. */
interface CounterBackend {
  id: string;
  store: RecordStore;
  engine: LockEngine;
  shard?: ShardInfo;
}

/** Equal searches within this time share one answer. */
const SHARE_PAGE_FOR_MS = 400;

/** Every counter of every backend as last read here. The lock projection reads for both. */
export class CounterProjection {
  readonly table: CounterTable;
  private readonly deleted: DeletedNames;
  /** By search. */
  private readonly recentPages = new Map<string, { at: number; page: Promise<CounterPage> }>();

  /**
   * @param names notified of every counter that is added or removed
   * @param stores whether the present state of a store is known
   */
  constructor(
    private readonly backends: CounterBackend[],
    private readonly clock: Clock,
    private readonly namespaces: Pick<NamespaceLookup, 'get'>,
    names: NameCount,
    private readonly stores: Pick<KnownStores, 'isKnown' | 'publicHealths'>,
  ) {
    this.table = new CounterTable(names);
    this.deleted = new DeletedNames(() => clock.monotonic());
  }

  /**
   * The counter list: filtered, by name. Reads no backend.
   *
   * @param isListed whether a counter is listed; absent: all are
   */
  page(
    { search = '', limit }: CounterListInput,
    isListed?: (row: CounterEntry) => boolean,
  ): Promise<CounterPage> {
    return this.search(search.toLowerCase(), limit, isListed);
  }

  /** Like `page` for pages that follow the list: an answer can be a moment old. */
  livePage({ search = '', limit }: CounterListInput): Promise<CounterPage> {
    const sought = search.toLowerCase();
    const now = this.clock.monotonic();
    for (const [text, { at }] of this.recentPages) {
      if (now - at >= SHARE_PAGE_FOR_MS) this.recentPages.delete(text);
    }
    const text = `${limit}/${sought}`;
    const known = this.recentPages.get(text);
    if (known) return known.page;
    const page = this.search(sought, limit);
    this.recentPages.set(text, { at: now, page });
    return page;
  }

  private async search(
    sought: string,
    limit: number,
    isListed?: (row: CounterEntry) => boolean,
  ): Promise<CounterPage> {
    const { rows, matching, total } = await this.table.find(sought, limit, this.slice(), isListed);
    const known = new Map(this.backends.map((one) => [one.id, this.stores.isKnown(one)]));
    return {
      rows: rows.map((row) => rowNow(row, known.get(row.storeId) === true)),
      matching,
      total,
      backends: this.stores.publicHealths(this.backends),
      asOf: this.clock.now(),
    };
  }

  private slice(): TimeSlice {
    return new TimeSlice(() => this.clock.monotonic());
  }

  row(namespace: string, name: string): CounterRow | null {
    for (const backend of this.backends) {
      const id = counterRowId(publicId(backend), { namespace, name, kind: 'counter' });
      const entry = this.table.get(id);
      if (entry?.storeId === backend.id) return rowNow(entry, this.stores.isKnown(backend));
    }
    return null;
  }

  /**
   * A counter, read now; while its backend does not answer, the last good reading, marked as such.
   *
   * @throws LockyardError `NOT_FOUND` for an unknown namespace or a counter that was never created,
   * `BACKEND_DOWN` if there is no reading at all, or its backend is not configured
   */
  async detail(namespace: string, name: string): Promise<CounterReading> {
    const id = (await this.namespaces.get(namespace))?.backend ?? null;
    const key: RecordKey = { namespace, name, kind: 'counter' };
    const backend = requireStore(this.backends, id, key);
    const read = await readCounter(backend, key);
    if (!read) return this.lastDetail(backend, namespace, name);
    this.apply(backend, read);
    if (!read.record)
      throw new LockyardError('NOT_FOUND', 'This counter was never created, or was deleted.');
    const row = shownRow(counterEntry(backend, read), true);
    return { row, backend: recordHealth(backend), asOf: this.clock.now() };
  }

  /** Stores a reading, unless a later one or a deletion has overtaken it. */
  apply(backend: CounterBackend, read: ReadRecord): void {
    const id = counterRowId(publicId(backend), read.key);
    if (!read.record) this.table.remove(id);
    else if (!this.deleted.has(id, read.record.rev)) this.table.store(counterEntry(backend, read));
  }

  /** Removes a counter that was deleted, unless one of that name was created since. */
  removeDeleted(backend: CounterBackend, key: RecordKey, now: number): void {
    const id = counterRowId(publicId(backend), key);
    this.deleted.add(id, now);
    const entry = this.table.get(id);
    if (entry && this.deleted.has(id, entry.rev)) this.table.remove(id);
  }

  *names(): Generator<StoredName> {
    for (const { storeId, namespace, name } of this.table.all()) {
      yield { storeId, key: { namespace, name, kind: 'counter' } };
    }
  }

  /**
   * Starts a full read of a backend, or of a namespace on it. Calling the result removes counters
   * that were not read since.
   */
  beginResync(backend: string, namespace?: string): () => Promise<void> {
    return this.table.beginResync(backend, namespace, this.slice());
  }

  private lastDetail(keeper: CounterBackend, namespace: string, name: string) {
    const health = recordHealth(keeper);
    const row = this.row(namespace, name);
    if (!row) throw notServing(health, 'and this counter was not read before.');
    const backend = { ...health, reachable: false };
    const asOf = this.clock.now() - health.silentForMs;
    return { row: { ...row, isKnown: false }, backend, asOf };
  }
}

function counterRowId(backend: string, key: RecordKey): string {
  return `${backend}/${recordId(key)}`;
}

/** Null: the backend does not answer. */
async function readCounter({ store }: CounterBackend, key: RecordKey): Promise<ReadRecord | null> {
  try {
    const { records } = await store.read([key], []);
    return records[0] ?? null;
  } catch {
    return null;
  }
}

function counterEntry(keeper: CounterBackend, read: ReadRecord): CounterEntry {
  const { namespace, name } = read.key;
  const backend = publicId(keeper);
  const row = {
    id: counterRowId(backend, read.key),
    namespace,
    name,
    backend,
    storeId: keeper.id,
    rev: read.record?.rev ?? 0,
    readAt: read.now,
    searchText: `${namespace}/${name}`.toLowerCase(),
  };
  return { ...row, ...currentState(read) };
}

type CounterState = Pick<CounterRow, 'value' | 'floor' | 'ceiling' | 'createdAt' | 'lastMove'>;

const UNREADABLE: CounterState = {
  value: null,
  floor: null,
  ceiling: null,
  createdAt: 0,
  lastMove: null,
};

function currentState({ record }: ReadRecord): CounterState {
  if (!record) return UNREADABLE;
  try {
    const { value, floor, ceiling, createdAt, lastMove } = decodeCounter(record).record;
    return { value, floor, ceiling, createdAt, lastMove };
  } catch {
    return UNREADABLE;
  }
}

const rowNow = (row: CounterEntry, isStoreKnown: boolean): CounterRow =>
  shownRow(row, row.value !== null && isStoreKnown);

function shownRow({ storeId, searchText: _, ...row }: CounterEntry, isKnown: boolean): CounterRow {
  const keeper = keeperOf({ backend: storeId, publicBackend: row.backend });
  return { ...row, ...keeper, isKnown };
}
