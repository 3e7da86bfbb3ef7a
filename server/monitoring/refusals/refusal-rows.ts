import { setImmediate } from 'node:timers/promises';
import { DATABASE_CLOCK, type Database, type SqlValue } from '@/db/database';
import type { RefusalCounts } from '../../core/statistics/refusal-counts';
import { MINUTE_MS } from '../../core/time-units';
import { replacing } from '../rollups/rollup-rows';
import type { RefusalPart } from './known-refusals';

/** The most rows in one statement, and characters of their counts: MySQL may accept only 1 MB. */
const ROWS_AT_ONCE = 250;
const CHARS_AT_ONCE = 256 * 1_024;

/** A row of `lock_refusals`. */
export interface RefusalRow {
  backend: string;
  lockId: string;
  minute: number;
  process: string;
  counts: RefusalCounts;
}

const KEY = ['backend', 'lock_id', 'minute', 'process'];
const VALUES = ['attempts', 'counts', 'written_at'];

/** Writes rows, in place of their earlier states. */
export async function writeRefusals({ raw, kind }: Database, rows: RefusalRow[]): Promise<void> {
  const row = `(?,?,?,?,?,?,${DATABASE_CLOCK[kind]})`;
  for (const part of partsOf(rows)) {
    await raw.ask(
      `INSERT INTO lock_refusals (${[...KEY, ...VALUES]}) VALUES ` +
        `${part.map(() => row)} ${replacing(kind, KEY, VALUES)}`,
      part.flat(),
    );
  }
}

/** The values of rows, those of one statement together. */
function* partsOf(rows: readonly RefusalRow[]): Generator<SqlValue[][]> {
  let part: SqlValue[][] = [];
  let chars = 0;
  for (const { backend, lockId, minute, process, counts } of rows) {
    const text = JSON.stringify(counts);
    if (part.length === ROWS_AT_ONCE || (part.length > 0 && chars + text.length > CHARS_AT_ONCE)) {
      yield part;
      part = [];
      chars = 0;
    }
    part.push([backend, lockId, minute, process, counts.all.attempts, text]);
    chars += text.length;
  }
  if (part.length > 0) yield part;
}

/** A row, and when it was written, by the clock of the database. */
export interface WrittenRow extends RefusalRow {
  writtenAt: number;
}

/**
 * Rows of single locks that other processes have written since an instant, by time of writing, and
 * by minute among those written at the same time.
 */
export async function readRefusals(
  { raw }: Database,
  process: string,
  since: number,
  limit: number,
): Promise<WrittenRow[]> {
  const { rows } = await raw.ask(
    'SELECT backend, lock_id, minute, process, counts, written_at FROM lock_refusals ' +
      "WHERE written_at >= ? AND process <> ? AND lock_id <> '' " +
      `ORDER BY written_at LIMIT ${limit}`,
    [since, process],
  );
  const written = rows.map(([backend, lockId, minute, of, counts, writtenAt]) => ({
    backend: String(backend),
    lockId: String(lockId),
    minute: Number(minute),
    process: String(of),
    counts: JSON.parse(String(counts)) as RefusalCounts,
    writtenAt: Number(writtenAt),
  }));
  // No index has this order, and few rows are written at the same time.
  return written.sort((a, b) => a.writtenAt - b.writtenAt || a.minute - b.minute);
}

/** Minutes read at a time: on SQLite a read blocks this process. */
const MINUTES_AT_ONCE = 500;

/**
 * How many attempts were refused in each minute from `since` to `until`, at all processes together.
 *
 * @param lockId empty: on all locks of the backend
 */
export async function refusalsByMinute(
  { raw }: Database,
  backend: string,
  lockId: string,
  { since, until }: { since: number; until: number },
): Promise<{ minute: number; refused: number }[]> {
  const sql =
    'SELECT minute, SUM(attempts) FROM lock_refusals WHERE backend = ? AND lock_id = ? AND ' +
    `minute >= ? AND minute <= ? GROUP BY minute ORDER BY minute LIMIT ${MINUTES_AT_ONCE}`;
  const minutes: { minute: number; refused: number }[] = [];
  for (let from = since; ; ) {
    const { rows } = await raw.ask(sql, [backend, lockId, from, until]);
    for (const [minute, refused] of rows) {
      minutes.push({ minute: Number(minute), refused: Number(refused) });
    }
    const last = minutes.at(-1);
    if (!last || rows.length < MINUTES_AT_ONCE) return minutes;
    from = last.minute + 1;
    await setImmediate();
  }
}

/** The most rows, one a minute and process, that one reading of a lock returns. */
const PARTS_MAX = 1_500;

/** Rows read at a time, as each takes long to parse. */
const PARTS_AT_ONCE = 100;

/** It is after the ids of all processes. */
const LAST_PROCESS = '~';

/** What each process has counted for a lock, in the minutes that overlap a span, latest first. */
export async function refusalsOf(
  { raw }: Database,
  backend: string,
  lockId: string,
  from: number,
  to: number,
): Promise<RefusalPart[]> {
  const sql =
    'SELECT minute, process, counts FROM lock_refusals WHERE backend = ? AND lock_id = ? AND ' +
    'minute > ? AND minute <= ? AND (minute < ? OR process < ?) ' +
    `ORDER BY minute DESC, process DESC LIMIT ${PARTS_AT_ONCE}`;
  const parts: RefusalPart[] = [];
  for (let [minute, process] = [to, LAST_PROCESS]; parts.length < PARTS_MAX; ) {
    const since = from - MINUTE_MS;
    const { rows } = await raw.ask(sql, [backend, lockId, since, minute, minute, process]);
    parts.push(...rows.map(toPart));
    const last = parts.at(-1);
    if (!last || rows.length < PARTS_AT_ONCE) break;
    [minute, process] = [last.minute, last.process];
    await setImmediate();
  }
  return parts;
}

/**
 * What each process has counted in the minute of an instant and in the one before, by lock.
 *
 * @param lockIds of one backend; a few hundred at most
 */
export async function refusalsAround(
  { raw }: Database,
  backend: string,
  lockIds: readonly string[],
  at: number,
): Promise<Map<string, RefusalPart[]>> {
  const { rows } = await raw.ask(
    'SELECT lock_id, minute, process, counts FROM lock_refusals WHERE backend = ? AND ' +
      `minute > ? AND minute <= ? AND lock_id IN (${lockIds.map(() => '?').join(',')})`,
    [backend, at - 2 * MINUTE_MS, at, ...lockIds],
  );
  const parts = new Map<string, RefusalPart[]>();
  for (const [lockId, ...columns] of rows) {
    const id = String(lockId);
    parts.set(id, [...(parts.get(id) ?? []), toPart(columns)]);
  }
  return parts;
}

/** Whether any attempt on a single lock was refused in the minutes from one instant to another. */
export async function hasRefusals({ raw }: Database, from: number, to: number): Promise<boolean> {
  const { rows } = await raw.ask(
    "SELECT 1 FROM lock_refusals WHERE minute > ? AND minute <= ? AND lock_id <> '' LIMIT 1",
    [from - MINUTE_MS, to],
  );
  return rows.length > 0;
}

function toPart([minute, process, counts]: unknown[]): RefusalPart {
  const counted = JSON.parse(String(counts)) as RefusalCounts;
  return { minute: Number(minute), process: String(process), counts: counted };
}
