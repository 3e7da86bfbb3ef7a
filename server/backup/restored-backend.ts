import type { Cell } from '@/db/snapshot';

type Row = Record<string, Cell>;

/** Neither may fall: holds that Lockyard has forgotten may still be relied on. */
const NEVER_LOWER = ['grants_from', 'longest_lease_ms'];

/**
 * The row of a backend after a restore: its store stayed as it is, so what was learnt of it since
 * the backup still holds. Of the same life of the store the later heartbeat decides; where the
 * store is in another life by now, the older row lets its guard find that out, as a data loss.
 *
 * @param backup the row in the backup
 * @param before the row in the database that is replaced
 */
export function restoredBackend(backup: Row | undefined, before: Row | undefined): Row {
  if (!backup || !before) return { ...(backup ?? before) };
  const { life = null } = backup;
  const isSameLife = life === null || life === before.life;
  const isLater = Number(before.beat ?? 0) >= Number(backup.beat ?? 0);
  const row = isSameLife && isLater ? { ...before } : { ...backup };
  for (const column of NEVER_LOWER) {
    const known = [backup[column], before[column]].filter((value) => value != null);
    if (known.length > 0) row[column] = Math.max(...known.map(Number));
  }
  return row;
}
