import type { Change } from '../../record-store';
import type { Packet, PacketOutcome, Rows } from './packet';
import { type ChangedRow, inRowOrder } from './row-order';
import { bytes, CLOCK, quote } from './sql-text';
import { clockIsIn, isLimited, windowOf } from './time-window';
import { isUnanswered } from './unanswered';
import { ASSIGN_QUEUE, ASSIGN_REST, recordAssignments, recordValues } from './write-columns';
import { writeHistoryAndAnswers } from './write-history';

/**
 * A swap that works on every server. It tests each change against its own window and reads which
 * were applied. `@took` lists the writers that are in the rows afterwards.
 */
export function judgedSwap(changes: Change[]): Packet<PacketOutcome> {
  return packetOf(changes, []);
}

/** The same for changes that are applied all or none: if one of them failed, the guard fails. */
export function judgedSwapAll(changes: Change[]): Packet<PacketOutcome> {
  const isPart = `COALESCE(@went_in, 0) < ${changes.length}`;
  return packetOf(changes, [
    `SET @whole = (SELECT n FROM (SELECT 1 n UNION ALL SELECT 2) two WHERE ${isPart})`,
  ]);
}

/** @param guard statements after the records are written and before history and answers are */
function packetOf(changes: Change[], guard: string[]): Packet<PacketOutcome> {
  const rows = inRowOrder(changes);
  return {
    statements: [
      'START TRANSACTION',
      `SET @now = ${CLOCK}`,
      ...writeRecords(rows, guard),
      ...writeHistoryAndAnswers(changes),
      `SELECT @took, ${CLOCK}`,
      // Last: after an error of any other statement nothing was applied.
      'COMMIT',
    ],
    read: readBack,
  };
}

function readBack(answers: Rows[]): PacketOutcome {
  const [took, now] = answers.at(-2)?.[0] ?? [];
  return { applied: new Set(String(took ?? '').split(',')), now: Number(now), found: null };
}

/** Writes the records and sets `@took`. */
function writeRecords(rows: ChangedRow[], guard: string[]): string[] {
  const [first, ...more] = rows;
  if (first?.change.expect && more.length === 0 && guard.length === 0) {
    return updateRecord(first, first.change.expect);
  }
  const ids = rows.map(({ id }) => bytes(id));
  const writers = rows.map(({ change }) => quote(change.writer));
  return [
    upsertRecords(rows),
    ...rows.flatMap(removeIfInapplicable),
    `SELECT GROUP_CONCAT(IF(seen = '', writer, NULL)), SUM(seen <> ''), SUM(seen = '') INTO ` +
      `@took, @ghosts, @went_in FROM locks WHERE id IN (${ids}) AND writer IN (${writers})`,
    ...guard,
    `DELETE FROM locks WHERE @ghosts > 0 AND id IN (${ids}) AND seen <> ''`,
  ];
}

/** A single record that should exist, as in a handover: far cheaper, and leaves no ghost row. */
function updateRecord({ id, change }: ChangedRow, expect: NonNullable<Change['expect']>): string[] {
  const { clock, writer } = change;
  const set = [...recordAssignments(change), 'changed_at = @now'];
  const conditions = [clockIsIn(windowOf(clock)), ...isUnanswered([change])].join(' AND ');
  return [
    `UPDATE locks SET ${set} WHERE id = ${bytes(id)} AND rev = ${expect.rev} AND writer = ` +
      `${quote(expect.writer)} AND ${conditions}`,
    // ROW_COUNT() will not do: it is -1 if the client was gone when the update was answered, and
    // the remaining statements still run.
    `SET @took = (SELECT writer FROM locks WHERE id = ${bytes(id)} AND writer = ${quote(writer)})`,
  ];
}

/**
 * One statement for all records, existing or not, so that rows are locked in one order.
 *
 * An existing row is compared, under its lock, with what its change expects. Assignments run from
 * left to right, so all but the first only test whether the writer was written. A change that
 * expects a row and finds none leaves a ghost (a row with `seen`), which the same transaction
 * removes: no other transaction ever sees it.
 */
function upsertRecords(rows: ChangedRow[]): string {
  const values = rows.map(({ id, change }) => {
    const { first, last } = windowOf(change.clock);
    const [isFree] = isUnanswered([change]);
    // A change with a request that must have no answer, but has one, has an empty window.
    const end = isFree === undefined ? last : `IF(${isFree}, ${last}, 0)`;
    return `(${bytes(id)},${recordValues(change)},${first},${end},@now)`;
  });
  return (
    'INSERT INTO locks (id, rev, writer, head, queue, seen, past, ahead, changed_at) VALUES ' +
    `${values} ON DUPLICATE KEY UPDATE ${ASSIGNMENTS}`
  );
}

/**
 * Removes a record that this packet created if the clock is outside the change's window, or a
 * request that must have no answer has one. This is checked after every record was written, since
 * an insert may have waited for a row. Most creations have no such conditions.
 */
function removeIfInapplicable({ id, change }: ChangedRow): string[] {
  const { expect, clock, writer } = change;
  const window = windowOf(clock);
  const conditions = [...(isLimited(window) ? [clockIsIn(window)] : []), ...isUnanswered([change])];
  if (expect || conditions.length === 0) return [];
  return [
    `DELETE FROM locks WHERE id = ${bytes(id)} AND writer = ${quote(writer)} AND changed_at ` +
      `= @now AND NOT (${conditions.join(' AND ')})`,
  ];
}

const ASSIGNMENTS = [
  `writer = IF(VALUES(seen) = CONCAT(rev, ':', writer) AND ${CLOCK} BETWEEN VALUES(past) AND ` +
    'VALUES(ahead), VALUES(writer), writer)',
  ...ASSIGN_REST,
  ASSIGN_QUEUE,
].join(', ');
