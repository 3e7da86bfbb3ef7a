import type { Cell } from '@/db/snapshot';

type Row = Record<string, Cell>;

/** Columns that are never lowered: callers may still rely on holds that Lockyard has lost. */
const NEVER_LOWER = ['grants_from', 'longest_lease_ms'];

/**
 * The row of a backend after a restore. Its store was not restored, so what was recorded about it
 * since the backup is still true. Within the same store incarnation the row with the later
 * heartbeat is kept. If the store has another incarnation by now, the older row makes its guard
 * detect a data loss.
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
