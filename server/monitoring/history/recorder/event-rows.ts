import type { Database, RawStatement, SqlValue } from '@/db/database';
import { spanClass } from '../../../core/past/event-span';
import { isRoutine } from '../../../core/timeline/lock-timeline';
import { separateTexts } from '../../../storage/codec/event-codec';
import { isOwnRecord, recordId } from '../../../storage/record-id';
import type { HistoryRow } from '../../../storage/record-store';
import { BUNDLE_EVENTS_MAX, BUNDLE_MS, PLACES_APART, rowPlace, rowSpan } from '../bundled-events';

/** Rows written by one statement: SQLite would prepare a longer one for every call. */
const ROWS_PER_STATEMENT = { mysql: 200, sqlite: 50 };

/** Characters of one statement: they have up to three bytes, and MySQL may accept only 1 MB. */
const CHARS_PER_STATEMENT = 300_000;

const COLUMNS = 'backend, history_id, place, lock_id, at, rev, kind, body, span';

const BODY = COLUMNS.split(', ').indexOf('body');

const ONE_ROW = '(?,?,?,?,?,?,?,?,?)';

/** Characters that mean the same in a MySQL string literal under every SQL mode. */
const PLAIN_TEXT = /^[^'\\\p{Cc}]*$/u;

const IGNORE_DUPLICATE = {
  mysql: 'ON DUPLICATE KEY UPDATE place = lock_events.place',
  sqlite: 'ON CONFLICT DO NOTHING',
};

/** Events of these kinds are searched for by their kind, so each has a row of its own. */
const SINGLE_KINDS = new Set(['timeout', 'frozen']);

/** The statements that insert event rows, however many. A row that exists stays as it is. */
export function insertionsOf(kind: Database['kind'], rows: SqlValue[][]): RawStatement[] {
  const parts = kind === 'mysql' ? withLiterals(rows) : withPlaceholders(rows);
  return Array.from(parts, ({ tuples, values }) => {
    const sql = `INSERT INTO lock_events (${COLUMNS}) VALUES ${tuples} ${IGNORE_DUPLICATE[kind]}`;
    return { sql, values };
  });
}

/** The length of a row's `body`, in characters. */
export const bodyLength = (row: SqlValue[]): number => String(row[BODY]).length;

/** The rows of one statement as SQL, and the values of its placeholders. */
interface Tuples {
  tuples: string;
  values: SqlValue[];
}

/** Equal numbers of rows give equal text, which SQLite need not prepare again. */
function* withPlaceholders(rows: SqlValue[][]): Generator<Tuples> {
  for (let i = 0; i < rows.length; i += ROWS_PER_STATEMENT.sqlite) {
    const some = rows.slice(i, i + ROWS_PER_STATEMENT.sqlite);
    const values: SqlValue[] = [];
    for (const row of some) values.push(...row);
    yield { tuples: new Array(some.length).fill(ONE_ROW).join(','), values };
  }
}

/** MySQL parses every statement anyway, and the driver is spared placeholders and escaping. */
function* withLiterals(rows: SqlValue[][]): Generator<Tuples> {
  let some: string[] = [];
  let chars = 0;
  for (const row of rows) {
    const tuple = `(${row.map(literal)})`;
    chars += tuple.length;
    const isFull = some.length === ROWS_PER_STATEMENT.mysql || chars > CHARS_PER_STATEMENT;
    if (isFull && some.length > 0) {
      yield { tuples: some.join(','), values: [] };
      some = [];
      chars = tuple.length;
    }
    some.push(tuple);
  }
  if (some.length > 0) yield { tuples: some.join(','), values: [] };
}

function literal(value: SqlValue): string {
  if (typeof value === 'number') return String(value);
  if (PLAIN_TEXT.test(value)) return `'${value}'`;
  return `_utf8mb4 x'${Buffer.from(value).toString('hex')}'`;
}

/** The rows of some commits, given in the order of their ids; see `EventRows`. */
export function eventRows(backend: string, commits: readonly HistoryRow[]): SqlValue[][] {
  const rows = new EventRows(backend);
  for (const commit of commits) rows.add(commit);
  return [...rows.take()];
}

/**
 * Turns commits into rows for `insertionsOf`, leaving out Lockyard's own records.
 *
 * Events of a lock that follow closely on one another share a row, since a row costs several times
 * as much as its text: a short hold is one row, not two. No other event of the lock is between
 * those of a row, so that rows in order are events in order.
 */
export class EventRows {
  /** How many characters of events were added since the last call of `take`. */
  chars = 0;
  private closed: Bundle[] = [];
  private open = new Map<string, Bundle>();

  constructor(private readonly backend: string) {}

  /** @param commit of a larger id than the last one */
  add({ id, changes }: HistoryRow): void {
    let place = 0;
    for (const change of changes) {
      const { key, rev, events } = change;
      if (isOwnRecord(key)) continue;
      const lockId = recordId(key);
      const texts = separateTexts(change);
      for (const [i, event] of events.entries()) {
        const isSingle = key.kind === 'counter' || SINGLE_KINDS.has(event.kind);
        const text = texts[i] as string;
        const last = this.open.get(lockId);
        if (last && !isSingle && last.takes(event.at)) last.add(id, place, rev, event, text);
        else {
          if (last) this.close(last);
          const bundle = new Bundle(lockId, id, place, rev, event, text);
          if (isSingle) this.closed.push(bundle);
          else this.open.set(lockId, bundle);
        }
        this.chars += text.length;
        place += PLACES_APART;
      }
    }
  }

  /** The rows of all that was added since the last call. Each is built when it is iterated. */
  take(): Iterable<SqlValue[]> {
    const bundles = [this.closed, this.open.values()];
    this.closed = [];
    this.open = new Map();
    this.chars = 0;
    return rowsOf(this.backend, bundles);
  }

  private close(bundle: Bundle): void {
    this.open.delete(bundle.lockId);
    this.closed.push(bundle);
  }
}

function* rowsOf(backend: string, bundles: Iterable<Bundle>[]): Generator<SqlValue[]> {
  for (const list of bundles) for (const bundle of list) yield bundle.row(backend);
}

type RecordedEvent = HistoryRow['changes'][number]['events'][number];

/** Each event has its `historyId`, its `place`, the `rev` of its change, and its text. */
type Part = number | string;
const PARTS_OF_EVENT = 4;

/** Events of one lock that share a row; see `bundled-events.ts`. */
class Bundle {
  private readonly from: number;
  /** The parts of all events in one array, which takes less memory than the body. */
  private readonly parts: Part[];
  private until: number;
  private rev: number;
  private kind: string;
  private span: number;

  constructor(
    readonly lockId: string,
    historyId: number,
    place: number,
    changeRev: number,
    event: RecordedEvent,
    text: string,
  ) {
    this.parts = [historyId, place, changeRev, text];
    this.from = event.at;
    this.until = event.at;
    this.rev = event.rev;
    this.kind = event.kind;
    this.span = spanClass(event);
  }

  /** Whether an event of that instant can be added. */
  takes(at: number): boolean {
    const isFull = this.count >= BUNDLE_EVENTS_MAX;
    return !isFull && at >= this.until && at - this.from < BUNDLE_MS;
  }

  add(
    historyId: number,
    place: number,
    changeRev: number,
    event: RecordedEvent,
    text: string,
  ): void {
    this.parts.push(historyId, place, changeRev, text);
    this.until = event.at;
    this.rev = event.rev;
    if (!isRoutine(this.kind) || !isRoutine(event.kind)) this.kind = 'several';
    this.span = Math.max(this.span, spanClass(event));
  }

  row(backend: string): SqlValue[] {
    const { lockId, from, rev, kind, span, count, parts } = this;
    const historyId = Number(parts.at(-PARTS_OF_EVENT));
    const place = rowPlace(Number(parts.at(1 - PARTS_OF_EVENT)), count);
    const rowsSpan = rowSpan(span, this.until - from);
    return [backend, historyId, place, lockId, from, rev, kind, this.body(), rowsSpan];
  }

  private get count(): number {
    return this.parts.length / PARTS_OF_EVENT;
  }

  private body(): string {
    const { parts } = this;
    if (this.count === 1) return `[${parts.slice(2).join(',')}]`;
    const texts: string[] = [];
    for (let i = 0; i < parts.length; i += PARTS_OF_EVENT) {
      texts.push(parts.slice(i, i + PARTS_OF_EVENT).join(','));
    }
    return `[[${texts.join('],[')}]]`;
  }
}
