import type { RecordKey } from '../../record-store';
import { CLOCK, idList, quote } from './sql-text';

/** Replaces a statement about an empty list, which is not valid SQL. */
const NO_ROWS = 'DO 0';

/** Records first, the clock last: a lease that counts as live was live when it was read. */
export function readPacket(keys: RecordKey[], requestKeys: string[]): string[] {
  return [
    keys.length === 0
      ? NO_ROWS
      : `SELECT id, rev, writer, head, queue FROM locks WHERE id IN (${idList(keys)})`,
    requestKeys.length === 0
      ? NO_ROWS
      : 'SELECT id, input_hash, answer, expires_at FROM lock_requests WHERE id IN ' +
        `(${requestKeys.map((key) => quote(key))})`,
    `SELECT ${CLOCK}`,
  ];
}
