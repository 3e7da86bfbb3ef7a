import { recordId, recordKey } from '../backends/record-id';
import type {
  Cursor,
  HistorySource,
  ReadRecord,
  RecordKey,
  RecordStore,
} from '../backends/record-store';
import type { Clock } from '../clock';
import type { ListAnswer } from '../domain/answers';
import type { LockListInput } from '../domain/console-inputs';
import { LockyardError } from '../domain/errors';
import type { ListInput } from '../domain/inputs';
import type { BackendHealth, LockDetail, LockPage, LockRow } from '../domain/lock-row';
import type { NamespacePolicy } from '../domain/namespace-policy';
import type { LockEngine } from '../engine/lock-engine';
import { type BoardRow, boardRow, recordRead, rowId, unreadableRow, withStatus } from './board-row';
import { CounterBoard, counterRowId } from './counter-board';
import { HistoryTail } from './history-tail';
import { KnownNorms } from './known-norms';
import { LockDetails } from './lock-details';
import { makeLockListing } from './lock-listing';
import { makeLockPage } from './lock-page';

/** One backend as the observers see it. */
export interface ObservedBackend {
  id: string;
  store: RecordStore & HistorySource;
  engine: LockEngine;
  epoch: number;
}

export interface BoardParts {
  backends: ObservedBackend[];
  clock: Clock;
  /** Which backend a namespace lives on; null if there is no such namespace. */
  backendOf: (namespace: string) => Promise<string | null>;
  /** What a namespace allows, as last read. */
  policyOf: (namespace: string) => NamespacePolicy;
}

/** A namespace of Lockyard's own; never shown. */
const isOwn = (key: RecordKey) => key.namespace.startsWith('.');

const SCAN_PAGE = 500;
const READ_AT_ONCE = 500;

/** How often the history is read in one go, so that a busy backend is caught up with. */
const ROUNDS_MAX = 50;

/** Flushes that can be under way at once, their ids given out already and their records not seen by a scan yet. */
const UNDER_WAY_MAX = 1_000;

/**
 * Every lock of every backend as this process last read it. The history says which records moved; those are read
 * again, many at once, so a row is always a whole truth of some recent instant and never a sum of events.
 *
 * While a backend is silent its rows stay as they were read last, and their status is `unknown`.
 */
export class LockBoard {
  /** The counters of the same backends. */
  readonly counters: CounterBoard;
  private readonly rows = new Map<string, BoardRow>();
  private readonly dirty = new Map<string, Set<string>>();
  private readonly tails = new Map<string, HistoryTail>();
  /** By backend: when the last look began that was answered, on the clock that never steps. */
  private readonly lookedAt = new Map<string, number>();
  private readonly listeners = new Set<() => void>();
  private readonly backends: ObservedBackend[];
  private readonly clock: Clock;
  private readonly norms: KnownNorms;
  private readonly details: LockDetails;

  constructor({ backends, clock, backendOf, policyOf }: BoardParts) {
    this.backends = backends;
    this.clock = clock;
    this.counters = new CounterBoard(backends, clock, backendOf);
    this.norms = new KnownNorms(policyOf);
    this.details = new LockDetails({
      backends,
      clock,
      backendOf,
      policyOf,
      normsOf: (id, key) => this.norms.of(id, key),
      rowOf: (namespace, name) => this.row(namespace, name),
    });
  }

  /** The lock list: filtered, sorted, worst first unless asked otherwise. Costs no look at any backend. */
  page(input: LockListInput): LockPage {
    const health = new Map(this.backends.map(({ id, engine }) => [id, engine.health()]));
    const namespaces = new Set<string>();
    const haystacks = new Map<LockRow, string>();
    const rows = [...this.rows.values()].map((kept) => {
      namespaces.add(kept.row.namespace);
      const row = this.rowNow(kept, health.get(kept.row.backend));
      haystacks.set(row, kept.haystack);
      return row;
    });
    const sought = input.search?.toLowerCase() ?? '';
    const isFound = (row: LockRow) =>
      sought === '' || haystacks.get(row)?.includes(sought) === true;
    return makeLockPage(rows, isFound, input, {
      backends: [...health.values()],
      namespaces: [...namespaces].sort(),
      asOf: this.clock.now(),
    });
  }

  /**
   * Locks of one namespace by name, page by page. Costs no look at the backend.
   *
   * @throws LockyardError `BACKEND_DOWN` before the backend has been read for the first time
   */
  listing(backend: string, input: ListInput): ListAnswer {
    const health = this.backends.find(({ id }) => id === backend)?.engine.health();
    const lookedAt = this.lookedAt.get(backend);
    if (!health || lookedAt === undefined) {
      const text = `The backend "${backend}" has not been read yet.`;
      throw new LockyardError('BACKEND_DOWN', text, { retryAfterMs: 1_000 });
    }
    return makeLockListing(this.rows.values(), input, {
      now: this.clock.now() + health.clockOffsetMs,
      reachable: health.reachable,
      ageMs: Math.round(this.clock.monotonic() - lookedAt),
    });
  }

  row(namespace: string, name: string): LockRow | null {
    for (const { id, engine } of this.backends) {
      const kept = this.rows.get(rowId(id, recordId({ namespace, name })));
      if (kept) return this.rowNow(kept, engine.health());
    }
    return null;
  }

  /** Locks that time or a death may have changed: lapsed leases, and queues. */
  due(now: (backend: string) => number): { backend: string; key: RecordKey; lapsed: boolean }[] {
    return [...this.rows.values()].flatMap(({ row, facts }) => {
      const { backend, namespace, name, waiters } = row;
      const lapsed = facts.holds.some(({ expiresAt }) => expiresAt <= now(backend));
      return lapsed || waiters > 0 ? [{ backend, key: { namespace, name }, lapsed }] : [];
    });
  }

  /** Told, at most a few times a second, that something moved. Returns the way to stop it. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * A lock read afresh; the last good reading, marked as such, while its backend does not answer.
   *
   * @throws LockyardError `NOT_FOUND` for an unknown namespace, `BACKEND_DOWN` if there is no reading at all
   */
  async detail(namespace: string, name: string): Promise<LockDetail> {
    return this.details.read(namespace, name);
  }

  /** Reads everything, and follows from there. */
  async load(backend: ObservedBackend): Promise<void> {
    const begunAt = this.clock.monotonic();
    const end = await backend.store.historyEnd();
    await this.heal(backend);
    const from = Math.max(0, end - UNDER_WAY_MAX);
    this.tails.set(backend.id, new HistoryTail(backend.store, this.clock, from));
    this.lookedAt.set(backend.id, begunAt);
  }

  /** Reads everything again, and lets go of what is not there any more: forgetting leaves no history. */
  async heal(backend: ObservedBackend): Promise<void> {
    const unmet = new Map([...this.rows].filter(([, { row }]) => row.backend === backend.id));
    const unmetCounters = this.counters.rowsOf(backend.id);
    let cursor: Cursor | null = { namespace: null, after: null };
    while (cursor) {
      const page = await backend.store.scan(cursor, SCAN_PAGE);
      for (const read of page.records) {
        this.take(backend.id, read);
        unmet.delete(rowId(backend.id, recordId(read.key)));
        unmetCounters.delete(counterRowId(backend.id, read.key));
      }
      cursor = page.next;
    }
    for (const [id, kept] of unmet) if (this.rows.get(id) === kept) this.forget(id);
    this.counters.drop(unmetCounters);
    this.tell();
  }

  /** Follows the history: reads every record again that moved since the last call. */
  async follow(backend: ObservedBackend): Promise<void> {
    const tail = this.tails.get(backend.id);
    if (!tail) return this.load(backend);
    const begunAt = this.clock.monotonic();
    const dirty = this.dirty.get(backend.id) ?? new Set<string>();
    this.dirty.set(backend.id, dirty);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const moved = await tail.poll();
      for (const { changes } of moved) {
        for (const { key, events } of changes) {
          if (isOwn(key)) continue;
          dirty.add(recordId(key));
          this.norms.note(rowId(backend.id, recordId(key)), events);
        }
      }
      if (moved.length === 0) break;
    }
    const hasMoved = dirty.size > 0;
    while (dirty.size > 0) await this.readAgain(backend, dirty);
    this.lookedAt.set(backend.id, begunAt);
    if (hasMoved) this.tell();
  }

  private async readAgain(backend: ObservedBackend, dirty: Set<string>): Promise<void> {
    const ids = [...dirty].slice(0, READ_AT_ONCE);
    const { records } = await backend.store.read(ids.map(recordKey), []);
    for (const id of ids) dirty.delete(id);
    for (const read of records) this.take(backend.id, read);
  }

  /** Keeps a reading, unless a later one has overtaken it. */
  private take(backend: string, read: ReadRecord): void {
    if (isOwn(read.key)) return;
    const id = rowId(backend, recordId(read.key));
    const kept = this.rows.get(id);
    if (read.key.kind === 'counter') this.counters.take(backend, read);
    else if (!read.record) this.forget(id);
    else if (!kept || kept.row.rev <= read.record.rev) this.rows.set(id, rowOf(backend, read));
  }

  private forget(id: string): void {
    this.rows.delete(id);
    this.norms.drop(id);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }

  private rowNow(kept: BoardRow, health: BackendHealth | undefined): LockRow {
    const now = this.clock.now() + (health?.clockOffsetMs ?? 0);
    return withStatus(kept, this.norms.of(kept.row.id, kept.row), now, health?.reachable === true);
  }
}

function rowOf(backend: string, read: ReadRecord): BoardRow {
  try {
    const record = recordRead(read);
    return record ? boardRow(backend, read, record) : unreadableRow(backend, read);
  } catch {
    return unreadableRow(backend, read);
  }
}
