import type { Database, SqlValue } from '@/db/database';
import type { PastMinute } from '../../contract/console/past/past-minute';
import {
  addRollup,
  emptyRollup,
  type MinuteRollup,
  minuteOf,
} from '../../core/statistics/minute-rollup';
import { recordKey } from '../../storage/record-id';
import type { TimeSlice } from '../lock-list/order/time-slice';
import { ALL_LOCKS, MINUTE_COLUMNS, readRollup } from '../rollups/rollup-rows';

/** How many locks are shown: those with the most grants. */
const SHOWN_MAX = 200;

/** Rows read at a time: on SQLite a read blocks this process. */
const ROWS_AT_ONCE = 500;

interface MinuteSources {
  database: Database;
  /** By the id under which roll-ups are stored: the backend's id as users know it. */
  publicIds: ReadonlyMap<string, string>;
  /** The clock of a store minus that of this process; 0 for one that is unknown. */
  offsetOf: (store: string) => number;
  at: number;
  slice: TimeSlice;
}

/** A lock that was used in the minute. If it was moved, several stores have part of its counts. */
interface CountedLock {
  backend: string;
  lockId: string;
  stores: string[];
  grants: number;
}

/** The roll-ups of the minute around an instant; null: there are none. */
export async function readPastMinute(from: MinuteSources): Promise<PastMinute | null> {
  const locks = await readLocks(from);
  if (locks.length === 0) return null;
  locks.sort((a, b) => b.grants - a.grants || (a.lockId < b.lockId ? -1 : 1));
  const shown = locks.slice(0, SHOWN_MAX);
  const rollups = await readRollups(from, shown);
  const rows = shown.map((lock) => {
    const { backend, lockId } = lock;
    const rollup = rollups.get(lock) ?? emptyRollup(0);
    const { grants, timeouts, expiries, forced, waits, holds } = rollup;
    const durations = { waitP99Ms: waits.quantile(0.99), holdP99Ms: holds.quantile(0.99) };
    const { namespace, name } = recordKey(lockId);
    return { backend, namespace, name, grants, timeouts, expiries, forced, ...durations };
  });
  return { minute: minuteOf(from), rows, areMore: locks.length > SHOWN_MAX };
}

const minuteAt = ({ at, offsetOf }: MinuteSources, store: string) =>
  minuteOf({ at: at + offsetOf(store) });

/** Each lock that was used in the minute of its store. */
async function readLocks(from: MinuteSources): Promise<CountedLock[]> {
  const { publicIds, slice } = from;
  const locks = new Map<string, CountedLock>();
  const minutes = new Set([
    minuteOf(from),
    ...[...publicIds.keys()].map((id) => minuteAt(from, id)),
  ]);
  for (const minute of minutes) {
    for await (const [store, lockId, grants] of rowsOf(from.database, minute)) {
      if (lockId === ALL_LOCKS || minuteAt(from, store) !== minute) continue;
      const backend = publicIds.get(store) ?? store;
      const id = `${backend} ${lockId}`;
      const lock = locks.get(id);
      if (lock) {
        lock.stores.push(store);
        lock.grants += grants;
      } else locks.set(id, { backend, lockId, stores: [store], grants });
      if (slice.isOver) await slice.pause();
    }
  }
  return [...locks.values()];
}

/** The rows of a minute, in the order of the index on it, so that none is sorted or read twice. */
async function* rowsOf(
  { raw, kind }: Database,
  minute: number,
): AsyncGenerator<[store: string, lockId: string, grants: number]> {
  const isMysql = kind === 'mysql';
  // Without it MariaDB would search each page from the first row of the minute.
  const hint = isMysql ? 'FORCE INDEX (lock_minutes_minute)' : '';
  const after = isMysql ? '(backend > ? OR (backend = ? AND lock_id > ?))' : 'rowid > ?';
  const sql =
    `SELECT backend, lock_id, grants, ${isMysql ? '0' : 'rowid'} FROM lock_minutes ${hint} ` +
    `WHERE minute = ? AND ${after} ORDER BY ${isMysql ? 'backend, lock_id' : 'rowid'} ` +
    `LIMIT ${ROWS_AT_ONCE}`;
  let last: SqlValue[] = isMysql ? ['', '', ''] : [0];
  for (;;) {
    const { rows } = await raw.ask(sql, [minute, ...last]);
    for (const [backend, lockId, grants, rowId] of rows) {
      const store = String(backend);
      last = isMysql ? [store, store, String(lockId)] : [Number(rowId)];
      yield [store, String(lockId), Number(grants)];
    }
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

async function readRollups(
  from: MinuteSources,
  locks: readonly CountedLock[],
): Promise<Map<CountedLock, MinuteRollup>> {
  const rollups = new Map<CountedLock, MinuteRollup>();
  for (const store of new Set(locks.flatMap(({ stores }) => stores))) {
    const own = new Map(
      locks.filter(({ stores }) => stores.includes(store)).map((lock) => [lock.lockId, lock]),
    );
    const minute = minuteAt(from, store);
    const { rows } = await from.database.raw.ask(
      `SELECT lock_id, ${MINUTE_COLUMNS} FROM lock_minutes WHERE backend = ? AND minute = ? ` +
        `AND lock_id IN (${[...own].map(() => '?')})`,
      [store, minute, ...own.keys()],
    );
    for (const [lockId, ...columns] of rows) {
      const lock = own.get(String(lockId));
      if (!lock) continue;
      const sum = rollups.get(lock) ?? emptyRollup(minute);
      addRollup(sum, readRollup(minute, columns));
      rollups.set(lock, sum);
    }
    if (from.slice.isOver) await from.slice.pause();
  }
  return rollups;
}
