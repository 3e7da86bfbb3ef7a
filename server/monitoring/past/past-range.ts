import type { Database } from '@/db/database';
import type { RestoredBackup } from '../../contract/console/past/past-mark';
import { SPAN_CLASSES } from '../../core/past/event-span';
import { isRoutine } from '../../core/timeline/lock-timeline';
import type { Clock } from '../../platform/clock';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { restoredBackups } from '../../storage/recorded-position';
import {
  BUNDLE_MS,
  eventsOf,
  LONG_BUNDLES_FROM,
  longSpan,
  SHORT_BUNDLE_MS,
} from '../history/bundled-events';

/** How long the start of the recorded past is cached. */
const KNOWN_FOR_MS = 60_000;

/** How many rows one search for a change may pass over, and how many are read at a time. */
const PASSED_MAX = 4_000;
const ROWS_AT_ONCE = 200;

/** The same for rows that reach the instant only if they are long. */
const LONG_PASSED_MAX = 20_000;

/** How far the clock of a backend may have moved since an event, by that of this process. */
const CLOCK_MOVED_MS = 1_000;

/** Rows of an earlier version have no span class, so what they ended cannot be found. */
const KNOWN_SPANS = Array.from({ length: SPAN_CLASSES + 1 }, (_, i) => i - 1).flatMap(
  (spanClass) => [spanClass, longSpan(spanClass)],
);

const FIRST_OF_EACH_SPAN = KNOWN_SPANS.map((_, i) => {
  const first = 'SELECT at, backend FROM lock_events WHERE span = ? ORDER BY at LIMIT 1';
  return `SELECT at, backend FROM (${first}) AS first${i}`;
}).join(' UNION ALL ');

/** Since when the past is recorded. Null: nothing is. */
export interface RecordedSince {
  /**
   * Every event from then on is kept, so that any instant can be shown. On the clock of this
   * process.
   */
  events: number | null;
  /** The first minute of the roll-ups. */
  minutes: number | null;
}

/** The records whose changes are searched for: one record, or all of a kind. */
export type ChangeOf = RecordKey | 'locks' | 'counters';

interface PastRangeOptions {
  database: Database;
  clock: Clock;
  /** The ids of all stores. */
  stores: readonly string[];
  /** The clock of a store minus that of this process. */
  offsetOf: (store: string) => number;
  /** For how long events are kept. */
  historyMs: number;
  /** Called when the past is read. */
  onRead: () => void;
}

/** Since when the past can be shown, and when something changed in it. */
export class PastRange {
  private known: { since: RecordedSince; readAt: number } | null = null;
  /** Cached: no restore can happen while this process runs. */
  private restores: readonly RestoredBackup[] | null = null;

  constructor(private readonly parts: PastRangeOptions) {}

  async since(): Promise<RecordedSince> {
    const { known } = this;
    const { clock } = this.parts;
    if (known?.since.events != null && clock.monotonic() - known.readAt < KNOWN_FOR_MS) {
      return this.stillKept(known.since);
    }
    const since = { events: await this.firstEvent(), minutes: await this.firstMinute() };
    this.known = { since, readAt: clock.monotonic() };
    return this.stillKept(since);
  }

  /**
   * Rows that are too old may be removed at any moment, and one that was removed may have had
   * events later than the first of those that are left.
   */
  private stillKept({ events, minutes }: RecordedSince): RecordedSince {
    const { clock, historyMs } = this.parts;
    return { events: events && Math.max(events, clock.now() - historyMs), minutes };
  }

  /** The restore that lost what had been recorded at an instant; null: none. */
  async restoredAround(at: number): Promise<RestoredBackup | null> {
    this.restores ??= await restoredBackups(this.parts.database);
    return this.restores.find(({ madeAt, restoredAt }) => madeAt < at && at < restoredAt) ?? null;
  }

  /**
   * The nearest recorded change before or after an instant: the first instant of this process's
   * clock that shows it. Null: there is none, or only routine for thousands of rows.
   */
  async change(of: ChangeOf, at: number, direction: 'previous' | 'next'): Promise<number | null> {
    const isNext = direction === 'next';
    const nearer = isNext ? Math.min : Math.max;
    this.parts.onRead();
    const { stores, offsetOf } = this.parts;
    // Events have instants of their backends' clocks.
    const offsets = stores.map(offsetOf);
    const [leastMs, mostMs] = [Math.min(...offsets), Math.max(...offsets)];
    const earliest = (instant: number) => instant + leastMs - CLOCK_MOVED_MS;
    let from = isNext ? earliest(at) - BUNDLE_MS : at + mostMs + CLOCK_MOVED_MS;
    let nearest: number | null = null;
    let passed = 0;
    let passedLong = 0;
    while (passed < PASSED_MAX && passedLong < LONG_PASSED_MAX) {
      // Rows that end before this hold nothing nearer.
      const end = earliest(isNext ? at : (nearest ?? Number.NEGATIVE_INFINITY));
      const rows = await this.readRows(of, isNext, from, end);
      for (const row of rows) {
        const offsetMs = offsetOf(row.store);
        // As rows overlap and clocks differ, an event of a later row may still be nearer.
        const isFar = (found: number) =>
          isNext ? row.at - mostMs >= found : row.at + BUNDLE_MS - leastMs <= found;
        if (nearest !== null && isFar(nearest)) return nearest;
        for (const event of row.events()) {
          const here = Math.ceil(event.at - offsetMs);
          const isBeyond = isNext ? here > at : here < at;
          if (isBeyond && isChange(of, event.kind)) nearest = nearer(here, nearest ?? here);
        }
      }
      const last = rows.at(-1)?.at;
      if (last === undefined || rows.length < ROWS_AT_ONCE) return nearest;
      const near = rows.filter((row) => row.at > end - SHORT_BUNDLE_MS).length;
      passed += near;
      passedLong += rows.length - near;
      // The next page begins with the last instant, which may have more rows, unless a whole page
      // had that instant: then its remaining rows are skipped.
      from = last === from ? from + (isNext ? 1 : -1) : last;
      await new Promise(setImmediate);
    }
    return nearest;
  }

  /**
   * A page of rows in the direction of the search.
   *
   * @param from the instant at which it begins
   * @param end rows that end before it are left out
   */
  private async readRows(
    of: ChangeOf,
    isNext: boolean,
    from: number,
    end: number,
  ): Promise<RecordedRow[]> {
    const lock = typeof of === 'object' ? [recordId(of)] : [];
    const { rows } = await this.parts.database.raw.ask(
      "SELECT at, kind, backend, CASE kind WHEN 'several' THEN body END FROM lock_events " +
        `WHERE ${lock.length === 0 ? '' : 'lock_id = ? AND '}at ${isNext ? '>=' : '<='} ? ` +
        `AND at > ? AND (at > ? OR span >= ${LONG_BUNDLES_FROM}) ` +
        `ORDER BY at ${isNext ? 'ASC' : 'DESC'} LIMIT ${ROWS_AT_ONCE}`,
      [...lock, from, Math.max(end - BUNDLE_MS, -1), Math.max(end - SHORT_BUNDLE_MS, -1)],
    );
    return rows.map(recordedRow);
  }

  /** One statement: a row that is written between several could hide an earlier one. */
  private async firstEvent(): Promise<number | null> {
    const { database, offsetOf } = this.parts;
    const { rows } = await database.raw.ask(FIRST_OF_EACH_SPAN, KNOWN_SPANS);
    if (rows.length === 0) return null;
    return Math.min(...rows.map(([at, store]) => Math.ceil(Number(at) - offsetOf(String(store)))));
  }

  private async firstMinute(): Promise<number | null> {
    // With any condition MySQL would read an entry of the index for each row that is kept.
    const { rows } = await this.parts.database.raw.ask('SELECT MIN(minute) FROM lock_minutes', []);
    const first = rows[0]?.[0];
    return first === null || first === undefined ? null : Number(first);
  }
}

/** One row of the recorded history: a single event, or those of a lock that followed closely. */
interface RecordedRow {
  /** The instant of its first event, on the clock of its store. */
  at: number;
  store: string;
  /** Decodes the events of the row. */
  events(): { at: number; kind: string }[];
}

function recordedRow([begin, kind, store, bundle]: unknown[]): RecordedRow {
  const at = Number(begin);
  const events = () =>
    bundle === null
      ? [{ at, kind: String(kind) }]
      : eventsOf([0, 0, bundle]).map(({ event }) => event);
  return { at, store: String(store), events };
}

const OF_COUNTERS = new Set(['created', 'added', 'adjusted', 'rebound']);

function isChange(of: ChangeOf, kind: string): boolean {
  if (typeof of === 'object') return !isRoutine(kind);
  return of === 'counters' ? OF_COUNTERS.has(kind) : !isRoutine(kind) && !OF_COUNTERS.has(kind);
}
