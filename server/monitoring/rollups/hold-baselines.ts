import { setImmediate } from 'node:timers/promises';
import type { Database } from '@/db/database';
import type { HoldBaseline } from '../../contract/console/insight-row';
import { LogHistogram } from '../../core/statistics/log-histogram';
import { weekOf } from '../../core/statistics/minute-rollup';
import { WEEK_MS } from '../../core/time-units';
import type { Clock } from '../../platform/clock';
import { rowId } from '../projection/projection-row';
import { baselineOf, NamespaceHolds } from './namespace-holds';
import { storedHistogram } from './rollup-rows';

/** The most locks with baselines: those whose last holds ended most recently. */
const LOCKS_MAX = 100_000;

/** A lock has a row for this week, and one for the week before. */
const WEEKS = 2;

const SELECT = 'SELECT lock_id, week, holds, counted_to FROM lock_weeks';

/** How many rows are read at a time, and processed before other work runs. */
const ROWS_AT_ONCE = 2_000;
const ROWS_A_TURN = 250;

interface LockBaseline {
  /** The stores where its holds were counted: several, if it has moved to another shard. */
  stores: readonly string[];
  /** The histograms of each store: those of this week, and of the week before. */
  texts: readonly string[];
  baseline: HoldBaseline | null;
}

/** A row of `lock_weeks`. */
interface WeekRow {
  lockId: string;
  week: number;
  text: string;
  countedTo: number;
}

/**
 * How long each lock of some backends is typically held, in memory: from the holds that ended this
 * week and the week before. Reflects the roll-ups as of the last `refresh`.
 */
export class HoldBaselines {
  private week = Number.NEGATIVE_INFINITY;
  /** By the id of a lock's row, in the order in which their holds last changed. */
  private locks = new Map<string, LockBaseline>();
  /** Of all these locks together. */
  private namespaces = new NamespaceHolds();
  /** Up to where written rows have been read, by backend. */
  private readTo: ReadonlyMap<string, number> = new Map();
  private readonly locksMax: number;
  private onNews: (rowId: string) => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly backends: { id: string; publicId: string }[],
    private readonly clock: Clock,
    { locksMax = LOCKS_MAX }: { locksMax?: number } = {},
  ) {
    this.locksMax = locksMax;
  }

  /** @param onNews called with the id of each row whose baseline has changed */
  onChange(onNews: (rowId: string) => void): void {
    this.onNews = onNews;
  }

  /**
   * The baseline of a lock; null: it has too little history, or was evicted.
   *
   * @param id of its row
   */
  of(id: string): HoldBaseline | null {
    return this.locks.get(id)?.baseline ?? null;
  }

  /** The baseline of all locks of a namespace together; null: it has too little history. */
  ofNamespace(namespace: string): HoldBaseline | null {
    return this.namespaces.of(namespace);
  }

  /**
   * Reads what was written since last time; everything, the first time and when a week begins.
   * After a failure the next call reads the same again.
   */
  async refresh(): Promise<void> {
    const week = weekOf(this.clock.now());
    const isNew = week !== this.week;
    const locks = isNew ? new Map<string, LockBaseline>() : this.locks;
    const namespaces = isNew ? new NamespaceHolds() : this.namespaces;
    const readTo = new Map(isNew ? [] : this.readTo);
    const changed = new Set(isNew ? this.locks.keys() : []);
    for (const { id: backend, publicId } of this.backends) {
      const from = week - WEEK_MS;
      const store = [backend] as const;
      const rows = await this.rowsSince(backend, readTo.get(backend) ?? 0, from);
      const unknown = rows.filter(({ lockId }) => !locks.has(rowId(publicId, lockId)));
      const evicted = locks.size < this.locksMax ? [] : await this.rowsOf(backend, unknown, from);
      // Rows are newest first; the most recently changed must be evicted last.
      for (const [i, row] of [...evicted, ...rows.reverse()].entries()) {
        const id = rowId(publicId, row.lockId);
        const before = locks.get(id)?.texts ?? [];
        const texts = storeWeek(locks, id, store, row, week);
        namespaces.replace(id, before, texts);
        changed.add(id);
        if (i % ROWS_A_TURN === 0) await setImmediate();
      }
      const last = rows.at(-1);
      if (last) readTo.set(backend, last.countedTo);
    }
    for (const id of locks.keys()) {
      if (locks.size <= this.locksMax) break;
      namespaces.replace(id, locks.get(id)?.texts ?? [], []);
      locks.delete(id);
      changed.add(id);
    }
    this.locks = locks;
    this.namespaces = namespaces;
    this.week = week;
    this.readTo = readTo;
    for (const [i, id] of [...changed].entries()) {
      this.onNews(id);
      if (i % ROWS_A_TURN === 0) await setImmediate();
    }
  }

  /**
   * The rows written since an instant, newest first, of as many locks as are kept. Rows of the last
   * write that was read can be among them again.
   */
  private async rowsSince(backend: string, since: number, week: number): Promise<WeekRow[]> {
    const found: WeekRow[] = [];
    let [to, lockTo, weekTo] = [Number.MAX_SAFE_INTEGER, '', 0];
    while (found.length < WEEKS * this.locksMax) {
      const { rows } = await this.database.raw.ask(
        `${SELECT} WHERE backend = ? AND week >= ? AND counted_to BETWEEN ? AND ? ` +
          'AND (counted_to < ? OR lock_id < ? OR (lock_id = ? AND week < ?)) ' +
          'ORDER BY counted_to DESC, lock_id DESC, week DESC LIMIT ?',
        [backend, week, since, to, to, lockTo, lockTo, weekTo, ROWS_AT_ONCE],
      );
      const page = rows.map(toWeekRow);
      found.push(...page);
      const last = page.at(-1);
      if (!last || page.length < ROWS_AT_ONCE) break;
      [to, lockTo, weekTo] = [last.countedTo, last.lockId, last.week];
      await setImmediate();
    }
    return found;
  }

  /** All rows of locks that may have been evicted. */
  private async rowsOf(backend: string, locks: WeekRow[], week: number): Promise<WeekRow[]> {
    const found: WeekRow[] = [];
    for (let i = 0; i < locks.length; i += ROWS_A_TURN) {
      const ids = locks.slice(i, i + ROWS_A_TURN).map(({ lockId }) => lockId);
      const { rows } = await this.database.raw.ask(
        `${SELECT} WHERE backend = ? AND week >= ? AND lock_id IN (${ids.map(() => '?')})`,
        [backend, week, ...ids],
      );
      found.push(...rows.map(toWeekRow));
    }
    return found;
  }
}

const toWeekRow = ([lockId, week, text, countedTo]: unknown[]): WeekRow => ({
  lockId: String(lockId),
  week: Number(week),
  text: String(text),
  countedTo: Number(countedTo),
});

/**
 * Puts the holds of one week into the baseline of their lock, which becomes the one changed last. A
 * lock that a reshard has moved has weeks in several stores.
 *
 * @param id of the lock's row
 * @param store the store of the row: one array for all locks, which saves memory
 * @param week the present one; a row of an earlier one is of the week before
 * @returns the present histograms of the lock
 */
function storeWeek(
  locks: Map<string, LockBaseline>,
  id: string,
  store: readonly [string],
  row: WeekRow,
  week: number,
): readonly string[] {
  const known = locks.get(id);
  const [name] = store;
  const knownStores = known?.stores ?? store;
  const stores = knownStores.includes(name) ? knownStores : [...knownStores, name];
  const place = WEEKS * stores.indexOf(name) + (row.week >= week ? 0 : 1);
  const texts = Array.from({ length: WEEKS * stores.length }, (_, i) =>
    i === place ? row.text : (known?.texts[i] ?? ''),
  );
  locks.delete(id);
  locks.set(id, { stores, texts, baseline: baselineFrom(texts) });
  return texts;
}

function baselineFrom(texts: LockBaseline['texts']): HoldBaseline | null {
  return baselineOf(LogHistogram.merge(...texts.map(storedHistogram)));
}
