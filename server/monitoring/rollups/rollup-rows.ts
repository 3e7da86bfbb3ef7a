import type { Database, RunSql, SqlValue } from '@/db/database';
import { LogHistogram } from '../../core/statistics/log-histogram';
import { addRollup, emptyRollup, type MinuteRollup } from '../../core/statistics/minute-rollup';

/** Rows in one statement. */
const ROWS_AT_ONCE = 250;

/** In place of a lock's id: all locks of a backend together. */
export const ALL_LOCKS = '';

/** What happened to each lock in one minute, by the lock's id. */
export type MinuteByLock = Map<string, MinuteRollup>;

/** The holds of each lock in one week, by its id, except those that an operator ended. */
export type HoldsByLock = Map<string, LogHistogram>;

/** One step of writing rows: all of them are written, or none. */
export interface RollupTarget {
  /** Reads what was stored before the step. */
  read: RunSql;
  /** Writes as a part of the step, immediately or at its end. */
  write: (sql: string, values: SqlValue[]) => Promise<unknown>;
  /** Moves an existing cursor as a part of the step, which fails if it is not at `from`. */
  moveCursor: (id: string, from: number, to: number) => Promise<void>;
  kind: Database['kind'];
  backend: string;
  /** The last commit that is counted for any lock after this: readers of weeks continue there. */
  countedTo: number;
}

/**
 * The histogram of a stored text; an empty one if another program has overwritten it: it must not
 * end the counting, and the reading, of all other locks.
 */
export function storedHistogram(text: string): LogHistogram {
  try {
    return LogHistogram.decode(text);
  } catch {
    return new LogHistogram();
  }
}

const MINUTE_VALUES = ['grants', 'timeouts', 'expiries', 'forced', 'waits', 'holds'];

/** The counts of a row of `lock_minutes`, given its columns in the order of `MINUTE_COLUMNS`. */
export function readRollup(minute: number, columns: unknown[]): MinuteRollup {
  const [grants, timeouts, expiries, forced, waits, holds] = columns;
  return {
    minute,
    grants: Number(grants),
    timeouts: Number(timeouts),
    expiries: Number(expiries),
    forced: Number(forced),
    // Each process writes these itself, in rows of their own.
    refused: 0,
    waits: storedHistogram(String(waits)),
    holds: storedHistogram(String(holds)),
  };
}

export const MINUTE_COLUMNS = MINUTE_VALUES.join(', ');

/** Adds to the rows of one minute. Keeps `rollups` as it is: a transaction may be run again. */
export async function addToMinute(
  target: RollupTarget,
  minute: number,
  rollups: MinuteByLock,
): Promise<void> {
  const { read, write, kind, backend } = target;
  for (const locks of chunks([...rollups.keys()].sort())) {
    const { rows } = await read(
      `SELECT lock_id, ${MINUTE_COLUMNS} FROM lock_minutes WHERE backend = ? AND minute = ? ` +
        `AND lock_id IN (${placeholders(locks)})`,
      [backend, minute, ...locks],
    );
    const stored = new Map(
      rows.map(([lockId, ...columns]) => [String(lockId), readRollup(minute, columns)]),
    );
    const values = locks.flatMap((lockId) => {
      const sum = stored.get(lockId) ?? emptyRollup(minute);
      addRollup(sum, rollups.get(lockId) ?? emptyRollup(minute));
      return minuteValues(backend, lockId, sum);
    });
    const row = '(?,?,?,?,?,?,?,?,?)';
    await write(
      `INSERT INTO lock_minutes (backend, lock_id, minute, ${MINUTE_COLUMNS}) VALUES ` +
        `${locks.map(() => row)} ` +
        `${replacing(kind, ['backend', 'lock_id', 'minute'], MINUTE_VALUES)}`,
      values,
    );
  }
}

/** Adds to the rows of one week. Keeps `holds` as it is. */
export async function addToWeek(
  target: RollupTarget,
  week: number,
  holds: HoldsByLock,
): Promise<void> {
  const { read, write, kind, backend, countedTo } = target;
  for (const locks of chunks([...holds.keys()].sort())) {
    const { rows } = await read(
      'SELECT lock_id, holds FROM lock_weeks WHERE backend = ? AND week = ? AND lock_id IN ' +
        `(${placeholders(locks)})`,
      [backend, week, ...locks],
    );
    const stored = new Map(rows.map(([lockId, text]) => [String(lockId), String(text)]));
    const values = locks.flatMap((lockId) => {
      const sum = storedHistogram(stored.get(lockId) ?? '');
      sum.addAll(holds.get(lockId) ?? new LogHistogram());
      return [backend, lockId, week, sum.encode(), countedTo];
    });
    await write(
      'INSERT INTO lock_weeks (backend, lock_id, week, holds, counted_to) VALUES ' +
        `${locks.map(() => '(?,?,?,?,?)')} ` +
        `${replacing(kind, ['backend', 'lock_id', 'week'], ['holds', 'counted_to'])}`,
      values,
    );
  }
}

function minuteValues(backend: string, lockId: string, rollup: MinuteRollup): SqlValue[] {
  const { minute, grants, timeouts, expiries, forced, waits, holds } = rollup;
  const counts = [grants, timeouts, expiries, forced];
  return [backend, lockId, minute, ...counts, waits.encode(), holds.encode()];
}

/** The clause of an `INSERT` that replaces these columns of a row whose key exists. */
export function replacing(kind: Database['kind'], key: string[], columns: string[]): string {
  return kind === 'mysql'
    ? `ON DUPLICATE KEY UPDATE ${columns.map((name) => `${name} = VALUES(${name})`)}`
    : `ON CONFLICT (${key}) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`)}`;
}

function* chunks<T>(list: T[]): Generator<T[]> {
  for (let i = 0; i < list.length; i += ROWS_AT_ONCE) yield list.slice(i, i + ROWS_AT_ONCE);
}

function placeholders(list: unknown[]): string {
  return list.map(() => '?').join(',');
}
