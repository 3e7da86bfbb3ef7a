import type { Database } from '@/db/database';
import type { PastMinute } from '../../contract/console/past/past-minute';
import { MINUTE_MS } from '../../core/statistics/minute-rollup';
import { recordKey } from '../../storage/record-id';
import { ALL_LOCKS, MINUTE_COLUMNS, readRollup } from '../rollups/rollup-rows';

/** How many locks of one minute are read, and how many are shown: those with the most grants. */
const READ_MAX = 1_000;
const SHOWN_MAX = 200;

/** The roll-ups of the minute around an instant; null: there are none. */
export async function readPastMinute(
  { raw }: Database,
  publicIds: ReadonlyMap<string, string>,
  at: number,
): Promise<PastMinute | null> {
  const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  const { rows } = await raw.ask(
    `SELECT backend, lock_id, ${MINUTE_COLUMNS} FROM lock_minutes WHERE minute = ? ` +
      `LIMIT ${READ_MAX + 1}`,
    [minute],
  );
  if (rows.length === 0) return null;
  const locks = rows.slice(0, READ_MAX).flatMap(([store, lockId, ...columns]) => {
    if (String(lockId) === ALL_LOCKS) return [];
    const { namespace, name } = recordKey(String(lockId));
    const { grants, timeouts, expiries, forced, waits, holds } = readRollup(minute, columns);
    const durations = { waitP99Ms: waits.quantile(0.99), holdP99Ms: holds.quantile(0.99) };
    const backend = publicIds.get(String(store)) ?? String(store);
    return { backend, namespace, name, grants, timeouts, expiries, forced, ...durations };
  });
  locks.sort((a, b) => b.grants - a.grants || (a.name < b.name ? -1 : 1));
  const areMore = rows.length > READ_MAX || locks.length > SHOWN_MAX;
  return { minute, rows: locks.slice(0, SHOWN_MAX), areMore };
}
