import type { Database } from '@/db/database';
import type { RunSql, SqlValue } from '@/db/raw-sql';
import { recordId } from '../../storage/record-id';
import type { HistoryRow } from '../../storage/record-store';

/** Event rows in one statement. */
const ROWS_AT_ONCE = 200;

const COLUMNS = 'backend, history_id, place, lock_id, at, rev, kind, body';

const ONE_ROW = '(?,?,?,?,?,?,?,?)';

const IGNORE_DUPLICATE = {
  mysql: 'ON DUPLICATE KEY UPDATE place = lock_events.place',
  sqlite: 'ON CONFLICT DO NOTHING',
};

/** Writes event rows; one that is there already is kept as it is. */
export async function insertEvents(
  ask: RunSql,
  kind: Database['kind'],
  rows: SqlValue[][],
): Promise<void> {
  for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) {
    const some = rows.slice(i, i + ROWS_AT_ONCE);
    const places = new Array(some.length).fill(ONE_ROW).join(',');
    const sql = `INSERT INTO lock_events (${COLUMNS}) VALUES ${places} ${IGNORE_DUPLICATE[kind]}`;
    await ask(sql, some.flat());
  }
}

/**
 * One row an event, except for those of Lockyard's own records; columns in the order in which
 * `insertEvents` takes them.
 */
export function eventRows(backend: string, { id, changes }: HistoryRow): SqlValue[][] {
  const rows: SqlValue[][] = [];
  for (const { key, events } of changes) {
    if (key.namespace.startsWith('.')) continue;
    const lockId = recordId(key);
    for (const event of events) {
      const { at, rev, kind } = event;
      rows.push([backend, id, rows.length, lockId, at, rev, kind, JSON.stringify(event)]);
    }
  }
  return rows;
}
