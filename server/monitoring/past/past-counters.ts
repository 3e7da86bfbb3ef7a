import type { Database } from '@/db/database';
import {
  type BackendHealth,
  healthOfKeeper,
  type ShardHealth,
} from '../../contract/console/backend-health';
import type { CounterListInput } from '../../contract/console/counter-inputs';
import type { CounterDetail, CounterPage, CounterRow } from '../../contract/console/counter-row';
import type { PastMark } from '../../contract/console/past/past-mark';
import { LockyardError } from '../../contract/errors';
import type { CounterEvent } from '../../core/counter/counter-event';
import type { CounterMove } from '../../core/counter/counter-record';
import type { Clock } from '../../platform/clock';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { BUNDLE_MS, eventsOf } from '../history/bundled-events';
import type { CounterProjection } from '../projection/counter-projection';
import type { CounterEntry } from '../projection/counter-table';
import { readCounterDeletions } from './counter-deletions';
import type { RecordingWatch } from './recording-watch';

interface PastCountersOptions {
  database: Database;
  counters: Pick<CounterProjection, 'page' | 'detail'>;
  /** @throws LockyardError where that instant cannot be shown */
  check: (at: number) => Promise<Omit<PastMark, 'isCut' | 'isLagging'>>;
  recording: Pick<RecordingWatch, 'untilRecorded' | 'isRecordedUpTo'>;
  /** The clock of a store minus that of this process. */
  offsetOf: (store: string) => number;
  clock: Pick<Clock, 'now'>;
}

/** Events collected for recording are younger than this, unless the recorder is behind. */
const RECENT_MS = BUNDLE_MS + 5_000;

/** For at most this many newer counters it is looked up whether an older one had the same name. */
const LOOKED_INTO_MAX = 1_000;
const LOOKED_INTO_AT_ONCE = 100;

/** A counter that was created after an instant; `until`: that instant on its backend's clock. */
type LaterCounter = Pick<CounterRow, 'id' | 'namespace' | 'name'> & { until: number };

/**
 * The present counters, with the values that they had at an instant. Bounds are the present ones,
 * unless the change that made the value also set them.
 */
export class PastCounters {
  constructor(private readonly parts: PastCountersOptions) {}

  async page(at: number, input: CounterListInput): Promise<CounterPage & { past: PastMark }> {
    const past = await this.mark(at);
    const now = await this.pageNow(at, input);
    const rows: CounterRow[] = [];
    for (const row of now.rows) {
      const then = await this.rowAt(row, at, healthOfKeeper(now.backends, row));
      if (then) rows.push(then);
      await new Promise(setImmediate);
    }
    const createdSince = now.rows.length - rows.length;
    const counts = { matching: now.matching - createdSince, total: now.total - createdSince };
    return { ...now, ...counts, rows, asOf: at, past };
  }

  /** @throws LockyardError `NOT_FOUND` for a counter that does not, or did not yet, exist */
  async counter(at: number, key: RecordKey): Promise<CounterDetail & { past: PastMark }> {
    const past = await this.mark(at);
    const now = await this.parts.counters.detail(key.namespace, key.name);
    const candidate = { ...now.row, until: Math.floor(at + now.backend.clockOffsetMs) };
    const isMissing =
      candidate.createdAt > candidate.until &&
      (await this.createdAgain([candidate], at)).size === 0;
    const row = isMissing ? null : await this.rowAt(now.row, at, now.backend);
    if (!row) throw new LockyardError('NOT_FOUND', 'at: is before this counter was created.');
    return { ...now, row, gate: null, asOf: at, past };
  }

  /** The present state of the counters that existed then. */
  private async pageNow(at: number, input: CounterListInput): Promise<CounterPage> {
    const { counters, offsetOf } = this.parts;
    const sought = input.search?.toLowerCase() ?? '';
    const later: LaterCounter[] = [];
    const untilOf = ({ storeId }: CounterEntry) => Math.floor(at + offsetOf(storeId));
    const isOlder = (row: CounterEntry) => row.createdAt <= untilOf(row);
    const page = await counters.page(input, (row) => {
      if (isOlder(row)) return true;
      if (later.length < LOOKED_INTO_MAX && row.searchText.includes(sought)) {
        later.push({ ...row, until: untilOf(row) });
      }
      return false;
    });
    const former = await this.createdAgain(later, at);
    if (former.size === 0) return page;
    return counters.page(input, (row) => isOlder(row) || former.has(row.id));
  }

  /** The ids of counters whose name another counter had then. */
  private async createdAgain(later: readonly LaterCounter[], at: number): Promise<Set<string>> {
    const { database } = this.parts;
    /** The counters that had events by then, each with how long ago the last of them was. */
    const used: { counter: LaterCounter; idleMs: number }[] = [];
    for (let i = 0; i < later.length; i += LOOKED_INTO_AT_ONCE) {
      const part = later.slice(i, i + LOOKED_INTO_AT_ONCE);
      const last = part.map(
        ({ until }) =>
          `(SELECT at FROM lock_events WHERE lock_id = ? AND at <= ${until} ` +
          'ORDER BY at DESC LIMIT 1)',
      );
      // One look-up each: SQLite would read all events of a group to find its last.
      const { rows } = await database.raw.ask(`SELECT ${last}`, part.map(lockIdOf));
      for (const [j, counter] of part.entries()) {
        const usedAt = rows[0]?.[j] ?? null;
        if (usedAt !== null) used.push({ counter, idleMs: counter.until - Number(usedAt) });
      }
    }
    if (used.length === 0) return new Set();
    const idleMs = Math.max(...used.map((one) => one.idleMs));
    const deletions = await readCounterDeletions(database, at - idleMs, at);
    const isGone = ({ counter, idleMs: ms }: (typeof used)[number]) =>
      deletions.some((one) => one.at > at - ms && one.isOf(counter));
    return new Set(used.filter((one) => !isGone(one)).map(({ counter }) => counter.id));
  }

  private async mark(at: number): Promise<PastMark> {
    const { check, recording, clock } = this.parts;
    const begin = await check(at);
    const isRecent = at > clock.now() - RECENT_MS;
    const isRecorded = await (isRecent ? recording.untilRecorded() : recording.isRecordedUpTo(at));
    return { ...begin, isCut: false, isLagging: !isRecorded };
  }

  /** Null: it did not exist then. Its value is unknown if its backend has not answered since. */
  private async rowAt(
    now: CounterRow,
    at: number,
    health: BackendHealth | ShardHealth | undefined,
  ): Promise<CounterRow | null> {
    const row = await this.recordedRow(now, at, health?.clockOffsetMs ?? 0);
    const { reachable = true, silentForMs = 0 } = health ?? {};
    const isKnown = reachable || this.parts.clock.now() - silentForMs >= at;
    return row && !isKnown ? { ...row, isKnown } : row;
  }

  private async recordedRow(
    now: CounterRow,
    at: number,
    offsetMs: number,
  ): Promise<CounterRow | null> {
    const lockId = lockIdOf(now);
    const instant = Math.floor(at + offsetMs);
    const until = `at <= ${instant}`;
    const last = await this.event(lockId, until, 'last');
    if (last) {
      const isRebound = last.kind === 'rebound';
      const moved = isRebound
        ? await this.event(lockId, `${until} AND kind <> 'rebound'`, 'last')
        : last;
      return { ...rowAfter(now, last, instant), lastMove: moved && moveOf(moved) };
    }
    const next = await this.event(lockId, `at > ${instant}`, 'first');
    if (next?.kind === 'created') return null;
    if (!next) return now.createdAt <= instant ? { ...now, readAt: instant } : null;
    const { value, delta = 0, rev } = next;
    const before = { value: value - delta, rev: rev - 1, lastMove: null };
    return { ...now, ...before, readAt: instant, isKnown: true };
  }

  /** The last event of a counter up to an instant, or the first one after it. */
  private async event(
    lockId: string,
    when: string,
    which: 'last' | 'first',
  ): Promise<CounterEvent | null> {
    const { ask } = this.parts.database.raw;
    const order = which === 'last' ? 'DESC' : 'ASC';
    const where = `WHERE lock_id = ? AND ${when}`;
    // For MAX or MIN, MySQL would read all events if the condition is not only on the instant.
    const sql = `SELECT at FROM lock_events ${where} ORDER BY at ${order} LIMIT 1`;
    const found = await ask(sql, [lockId]);
    const at = found.rows[0]?.[0];
    if (at === undefined) return null;
    const { rows } = await ask(
      `SELECT body FROM lock_events ${where} AND at = ? ORDER BY rev ${order} LIMIT 1`,
      [lockId, Number(at)],
    );
    const body = rows[0]?.[0];
    if (body === undefined) return null;
    return eventsOf<CounterEvent>([0, 0, body])[0]?.event ?? null;
  }
}

const lockIdOf = ({ namespace, name }: Pick<CounterRow, 'namespace' | 'name'>) =>
  recordId({ namespace, name, kind: 'counter' });

function rowAfter(now: CounterRow, event: CounterEvent, instant: number): CounterRow {
  const { value, rev, floor, ceiling } = event;
  return {
    ...now,
    ...(floor === undefined ? {} : { floor }),
    ...(ceiling === undefined ? {} : { ceiling }),
    value,
    rev,
    readAt: instant,
    isKnown: true,
  };
}

function moveOf({ at, delta, by, service }: CounterEvent): CounterMove | null {
  if (delta === undefined) return null;
  return { at, delta, who: by ?? service, isPerson: by !== undefined };
}
