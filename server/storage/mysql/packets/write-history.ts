import { encodeHistory } from '../../codec/history-codec';
import type { Change } from '../../record-store';
import type { ChangedRow } from './row-order';
import { bytes, quote } from './sql-text';

/**
 * Writes the history of the changes whose writers are in `@took`, dated `@now`, and their answers.
 * `@took` is null if there are none.
 */
export function writeHistoryAndAnswers(rows: ChangedRow[]): string[] {
  const memos = rows.filter((change) => change.memos.length > 0);
  return [
    ...(rows.some((change) => change.events.length > 0) ? [insertHistory(rows)] : []),
    ...(memos.length > 0 ? [insertAnswers(memos)] : []),
    ...rows.flatMap(extendAnswers),
  ];
}

function insertHistory(changes: Change[]): string {
  return (
    'INSERT INTO lock_history (at, changes, took) SELECT @now, ' +
    `${quote(encodeHistory(changes))}, @took FROM DUAL WHERE @took IS NOT NULL`
  );
}

function insertAnswers(changes: ChangedRow[]): string {
  const rows = changes.flatMap(({ id: lockId, writer, memos }) =>
    memos.map(
      ({ key, inputHash, answer, expiresAt }) =>
        `SELECT ${quote(writer)} writer, ${quote(key)} id, ${quote(inputHash)} input_hash, ` +
        `${quote(JSON.stringify(answer))} answer, ${expiresAt} expires_at, ${bytes(lockId)} ` +
        'lock_id',
    ),
  );
  return (
    'INSERT INTO lock_requests (id, input_hash, answer, expires_at, lock_id) ' +
    'SELECT id, input_hash, answer, expires_at, lock_id FROM ' +
    `(${rows.join(' UNION ALL ')}) c WHERE FIND_IN_SET(c.writer, @took) ` +
    'ON DUPLICATE KEY UPDATE input_hash = VALUES(input_hash), answer = VALUES(answer), ' +
    'expires_at = VALUES(expires_at), lock_id = VALUES(lock_id)'
  );
}

function extendAnswers({ writer, extensions }: Change): string[] {
  return extensions.map(
    ({ keys, expiresAt }) =>
      `UPDATE lock_requests SET expires_at = GREATEST(expires_at, ${expiresAt}) WHERE id IN ` +
      `(${keys.map((key) => quote(key))}) AND FIND_IN_SET(${quote(writer)}, @took)`,
  );
}
