import type { Database, RunSql } from '@/db/database';
import type { CounterEvent } from '../../core/counter/counter-event';
import {
  addCounterEvent,
  type CounterMinute,
  emptyCounterMinute,
  STEPS_MAX,
} from '../../core/statistics/counter-minute';
import { minuteOf } from '../../core/statistics/minute-rollup';
import { type RollupTarget, replacing } from './rollup-rows';

/** Rows in one statement. */
const ROWS_AT_ONCE = 250;

const KEY = ['backend', 'counter_id', 'minute'];
const SUMS = ['changes', 'added', 'removed', 'value'];
const COLUMNS = [...KEY, ...SUMS].join(', ');

const ADDED: Record<Database['kind'], string> = {
  mysql:
    'ON DUPLICATE KEY UPDATE changes = changes + VALUES(changes), ' +
    `added = LEAST(${STEPS_MAX}, added + VALUES(added)), ` +
    `removed = LEAST(${STEPS_MAX}, removed + VALUES(removed)), value = VALUES(value)`,
  sqlite:
    'ON CONFLICT (backend, counter_id, minute) DO UPDATE SET changes = changes + ' +
    `excluded.changes, added = MIN(${STEPS_MAX}, added + excluded.added), ` +
    `removed = MIN(${STEPS_MAX}, removed + excluded.removed), value = excluded.value`,
};

/** What is counted of one counter in one minute. */
interface UnwrittenMinute {
  counterId: string;
  sum: CounterMinute;
  /** Whether the counter was created in it: what is stored is of one that was deleted. */
  isWhole: boolean;
}

/** The counts of counters that are not written yet, by minute. */
export class CounterMinutes {
  private readonly sums = new Map<string, UnwrittenMinute>();

  get size(): number {
    return this.sums.size;
  }

  /** Returns how many more rows there are to write now: 0 or 1. */
  count(counterId: string, event: CounterEvent): number {
    const minute = minuteOf(event);
    const id = `${minute} ${counterId}`;
    const known = this.sums.get(id);
    const counted = known ?? { counterId, sum: emptyCounterMinute(minute), isWhole: false };
    addCounterEvent(counted.sum, event);
    counted.isWhole ||= event.kind === 'created';
    if (known) return 0;
    this.sums.set(id, counted);
    return 1;
  }

  /**
   * Adds these counts, each of other counters, to the stored rows. Keeps them: a transaction may be
   * run again.
   */
  static async write(target: RollupTarget, counts: readonly CounterMinutes[]): Promise<void> {
    const byId = counts.flatMap(({ sums }) => [...sums]).sort(([a], [b]) => (a < b ? -1 : 1));
    const all = byId.map(([, minute]) => minute);
    const whole = all.filter(({ isWhole }) => isWhole);
    const parts = all.filter(({ isWhole }) => !isWhole);
    await writeRows(target, whole, replacing(target.kind, KEY, SUMS));
    await writeRows(target, parts, ADDED[target.kind]);
  }

  clear(): void {
    this.sums.clear();
  }
}

async function writeRows(
  { write, backend }: RollupTarget,
  all: readonly UnwrittenMinute[],
  atConflict: string,
): Promise<void> {
  for (let i = 0; i < all.length; i += ROWS_AT_ONCE) {
    const part = all.slice(i, i + ROWS_AT_ONCE);
    const values = part.flatMap(({ counterId, sum }) => {
      const { minute, changes, added, removed, value } = sum;
      return [backend, counterId, minute, changes, added, removed, value];
    });
    const rows = part.map(() => '(?,?,?,?,?,?,?)');
    await write(`INSERT INTO counter_minutes (${COLUMNS}) VALUES ${rows} ${atConflict}`, values);
  }
}

/**
 * The stored minutes of some counters of one backend from `since` on, oldest first.
 *
 * @param counterIds at most 50
 */
export async function readCounterMinutes(
  ask: RunSql,
  backend: string,
  counterIds: readonly string[],
  since: number,
): Promise<Map<string, CounterMinute[]>> {
  const { rows } = await ask(
    `SELECT counter_id, minute, ${SUMS.join(', ')} FROM counter_minutes WHERE backend = ? ` +
      `AND counter_id IN (${counterIds.map(() => '?')}) AND minute >= ? ` +
      'ORDER BY counter_id, minute',
    [backend, ...counterIds, since],
  );
  const found = new Map<string, CounterMinute[]>();
  for (const [id, ...columns] of rows) {
    const [minute = 0, changes = 0, added = 0, removed = 0, value = 0] = columns.map(Number);
    const minutes = found.get(String(id)) ?? [];
    if (minutes.length === 0) found.set(String(id), minutes);
    minutes.push({ minute, changes, added, removed, value });
  }
  return found;
}
