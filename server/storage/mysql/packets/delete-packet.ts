import { recordId } from '../../record-id';
import type { ObsoleteRecord } from '../../record-store';
import { byRowId } from './row-order';
import { bytes, CLOCK, quote } from './sql-text';

const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * One packet, one transaction, one commit: deletes each record that is still as it was seen, if the
 * server's clock has reached its `notBefore`.
 *
 * @returns the statements, and for each deletion in order the index of the record that it deletes
 */
export function deletePacket(records: ObsoleteRecord[]): {
  packet: string[];
  indexes: number[];
} {
  const rows = records
    .map((record, index) => ({ id: recordId(record.key), record, index }))
    .sort(byRowId);
  const deletions = rows.map(
    ({ id, record: { rev, writer, notBefore = 0 } }) =>
      `DELETE FROM locks WHERE id = ${bytes(id)} AND rev = ${Math.floor(rev)} AND writer = ` +
      `${quote(writer)} AND ${CLOCK} >= ${Math.min(notBefore, NEVER)}`,
  );
  const packet = ['START TRANSACTION', ...deletions, 'COMMIT'];
  return { packet, indexes: rows.map(({ index }) => index) };
}
