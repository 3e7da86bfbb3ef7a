import type { Expectation } from '../../core/decision';
import { encodeHistory } from '../codec/history-codec';
import { recordId } from '../record-id';
import type { Change, ObsoleteRecord, RecordKey } from '../record-store';

/** A text as a literal. Only for sessions with `NO_BACKSLASH_ESCAPES`: it doubles quotes alone. */
export function quote(text: string): string {
  return text.includes("'") ? `'${text.replaceAll("'", "''")}'` : `'${text}'`;
}

/**
 * The server's clock in epoch milliseconds. `SYSDATE`, not `NOW`: `NOW` is fixed at the start of a
 * statement, so a statement that waited for a row would judge a lease by an old time.
 */
export const CLOCK = 'FLOOR(UNIX_TIMESTAMP(SYSDATE(6)) * 1000)';

const NEVER = Number.MAX_SAFE_INTEGER;

/** The last millisecond at which a change may be applied. */
function lastMillisecond({ ahead }: Expectation): number {
  return Math.min(ahead, NEVER) - 1;
}

/**
 * One packet, one transaction, one commit: deletes each record that is still as it was seen, if the
 * server's clock has come far enough.
 *
 * @returns the statements, and of each deletion, in their order, which of the records it deletes
 */
export function deletePacket(records: ObsoleteRecord[]): {
  packet: string[];
  places: number[];
} {
  const rows = inOrderOfIds(records.map((record, place) => ({ ...record, place })));
  const deletions = rows.map(
    ({ id, rev, writer, notBefore = 0 }) =>
      `DELETE FROM locks WHERE id = ${bytes(id)} AND rev = ${Math.floor(rev)} AND writer = ` +
      `${quote(writer)} AND ${CLOCK} >= ${Math.min(notBefore, NEVER)}`,
  );
  const packet = ['START TRANSACTION', ...deletions, 'COMMIT'];
  return { packet, places: rows.map(({ place }) => place) };
}

/** A text as a binary literal; ids are stored and compared as bytes. */
export function bytes(text: string): string {
  return `_binary${quote(text)}`;
}

export function idList(keys: RecordKey[]): string {
  return keys.map((key) => bytes(recordId(key))).join(',');
}

/** Replaces an empty list, which is not valid SQL. */
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

/**
 * One packet, one transaction: every row lock is taken and released inside the server, none is held
 * across a round trip. `@took` lists the writers that are in the rows afterwards; history and
 * remembered answers are written for them alone. Every process locks rows in the same order: that
 * of the ids as JavaScript compares them.
 */
export function swapPacket(changes: Change[]): string[] {
  return packetOf(changes, []);
}

/**
 * The same for changes that are applied all or none. If one of them failed, the guard fails on
 * purpose: MySQL and MariaDB run no statement of a packet after one that failed, so the transaction
 * is never committed.
 */
export function swapAllPacket(changes: Change[]): string[] {
  const isPart = `COALESCE(@went_in, 0) < ${changes.length}`;
  return packetOf(changes, [
    `SET @whole = (SELECT n FROM (SELECT 1 n UNION ALL SELECT 2) two WHERE ${isPart})`,
  ]);
}

/** The order in which every packet locks its rows. */
function inOrderOfIds<T extends { key: RecordKey }>(all: T[]): (T & { id: string })[] {
  const rows = all.map((each) => ({ ...each, id: recordId(each.key) }));
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The number of the error with which the guard fails: a subquery has more than one row. */
export const NOT_ALL_APPLIED = 1242;

/** @param guard statements after the records are written and before history and answers are */
function packetOf(changes: Change[], guard: string[]): string[] {
  const rows = inOrderOfIds(changes);
  const memos = rows.filter((change) => change.memos.length > 0);
  return [
    'START TRANSACTION',
    `SET @now = ${CLOCK}`,
    ...writeRecords(rows, guard),
    ...(rows.some((change) => change.events.length > 0) ? [insertHistory(rows)] : []),
    ...(memos.length > 0 ? [insertAnswers(memos)] : []),
    ...rows.flatMap(extendAnswers),
    'COMMIT',
    `SELECT @took, ${CLOCK}`,
  ];
}

type Row = Change & { id: string };

/** Writes the records and sets `@took`. */
function writeRecords(rows: Row[], guard: string[]): string[] {
  const [first, ...more] = rows;
  if (first?.expect && more.length === 0 && guard.length === 0) {
    return updateRecord(first, first.expect);
  }
  const ids = rows.map(({ id }) => bytes(id));
  const writers = rows.map(({ writer }) => quote(writer));
  return [
    upsertRecords(rows),
    ...rows.flatMap(removeIfUntimely),
    `SELECT GROUP_CONCAT(IF(seen = '', writer, NULL)), SUM(seen <> ''), SUM(seen = '') INTO ` +
      `@took, @ghosts, @went_in FROM locks WHERE id IN (${ids}) AND writer IN (${writers})`,
    ...guard,
    `DELETE FROM locks WHERE @ghosts > 0 AND id IN (${ids}) AND seen <> ''`,
  ];
}

/** A single record that should exist, as in a handover: far cheaper, and leaves no ghost row. */
function updateRecord(
  { id, clock, writer, rev, head, queue }: Row,
  expect: NonNullable<Change['expect']>,
): string[] {
  const set = [
    `rev = ${rev}`,
    `writer = ${quote(writer)}`,
    `head = ${quote(head)}`,
    ...(queue === null ? [] : [`queue = ${quote(queue)}`]),
    'changed_at = @now',
  ];
  return [
    `UPDATE locks SET ${set} WHERE id = ${bytes(id)} AND rev = ${expect.rev} AND writer = ` +
      `${quote(expect.writer)} AND ${CLOCK} BETWEEN ${clock.past} AND ${lastMillisecond(clock)}`,
    // Not by ROW_COUNT(): it is -1 if the client was gone when the update was answered, and the
    // remaining statements still run.
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
function upsertRecords(changes: Row[]): string {
  const rows = changes.map(({ id, expect, clock, writer, rev, head, queue }) => {
    const seen = expect ? `${expect.rev}:${expect.writer}` : '';
    return `(${bytes(id)},${rev},${quote(writer)},${quote(head)},${quote(queue ?? UNCHANGED_QUEUE)},${quote(seen)},${clock.past},${lastMillisecond(clock)},@now)`;
  });
  return (
    'INSERT INTO locks (id, rev, writer, head, queue, seen, past, ahead, changed_at) VALUES ' +
    `${rows} ON DUPLICATE KEY UPDATE ${ASSIGNMENTS}`
  );
}

/**
 * Removes a record that this packet created if the clock is outside the change's window. This is
 * checked after every record was written, since an insert may have waited for a row. Most creations
 * have no window.
 */
function removeIfUntimely({ id, expect, clock, writer }: Row): string[] {
  const isTimed = clock.past > 0 || clock.ahead < NEVER;
  if (expect || !isTimed) return [];
  return [
    `DELETE FROM locks WHERE id = ${bytes(id)} AND writer = ${quote(writer)} AND changed_at ` +
      `= @now AND ${CLOCK} NOT BETWEEN ${clock.past} AND ${lastMillisecond(clock)}`,
  ];
}

/** Replaces the queue if the stored one stays. No queue's text equals this. */
const UNCHANGED_QUEUE = '-';

const ASSIGNMENTS = [
  `writer = IF(VALUES(seen) = CONCAT(rev, ':', writer) AND ${CLOCK} BETWEEN VALUES(past) AND ` +
    'VALUES(ahead), VALUES(writer), writer)',
  'rev = IF(writer = VALUES(writer), VALUES(rev), rev)',
  'head = IF(writer = VALUES(writer), VALUES(head), head)',
  `queue = IF(writer = VALUES(writer) AND VALUES(queue) <> '${UNCHANGED_QUEUE}', ` +
    'VALUES(queue), queue)',
  'changed_at = IF(writer = VALUES(writer), @now, changed_at)',
].join(', ');

function insertHistory(changes: Change[]): string {
  return (
    'INSERT INTO lock_history (at, changes, took) SELECT @now, ' +
    `${quote(encodeHistory(changes))}, @took FROM DUAL WHERE @took IS NOT NULL`
  );
}

function insertAnswers(changes: Row[]): string {
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
    `SELECT id, input_hash, answer, expires_at, lock_id FROM (${rows.join(' UNION ALL ')}) c WHERE FIND_IN_SET(c.writer, @took) ` +
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
