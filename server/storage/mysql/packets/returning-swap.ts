import { hasEvents } from '../../codec/history-codec';
import type { Change } from '../../record-store';
import { guarded } from './guard';
import type { FoundRecord, Packet, PacketOutcome, Rows } from './packet';
import { type ChangedRow, inRowOrder } from './row-order';
import { bytes, CLOCK, quote } from './sql-text';
import { clockIsIn, isLimited, sharedWindow, windowOf } from './time-window';
import { isUnanswered } from './unanswered';
import { ASSIGN_QUEUE, ASSIGN_REST, recordAssignments, recordValues } from './write-columns';
import { type AppliedTerms, insertHistory, writeAnswers } from './write-history';

/*
 * Every column has a name of its own: the driver compiles a reader for each set of names, and an
 * expression without one is named after its text, which differs from packet to packet.
 */

/**
 * A swap for servers with `INSERT … RETURNING`: one statement writes the records and returns which
 * changes were applied. The window that all changes share is tested once, after the last wait for a
 * row.
 *
 * The guard fails if the clock is outside that window, if a record that a change expects does not
 * exist, or if a request that must have no answer has one: then nothing is applied, and each change
 * must be judged on its own.
 */
export function returningSwap(changes: Change[]): Packet<PacketOutcome> {
  const [only] = changes.length === 1 ? inRowOrder(changes) : [];
  if (only?.change.expect) return updateRecord(only, only.change.expect);
  const mayLeaveGhosts = changes.some(({ expect }) => expect !== null);
  return upsertPacket(changes, [
    ...(mayLeaveGhosts ? ['@ghosts = 0'] : []),
    ...isTimely(changes),
    ...isUnanswered(changes),
  ]);
}

/** The same for changes that are applied all or none: the guard fails unless all of them are. */
export function returningSwapAll(changes: Change[]): Packet<PacketOutcome> {
  const isWhole = `LENGTH(@took) = ${Buffer.byteLength(writerList(changes))}`;
  return upsertPacket(changes, ['@ghosts = 0', isWhole, ...isTimely(changes)]);
}

function isTimely(changes: Change[]): string[] {
  const window = sharedWindow(changes);
  return isLimited(window) ? [clockIsIn(window)] : [];
}

/** Every writer between two commas. */
function writerList(changes: Change[]): string {
  return `,${changes.map(({ writer }) => writer).join(',')},`;
}

/** The history keeps the changes in the order in which they are given. */
function upsertPacket(changes: Change[], conditions: string[]): Packet<PacketOutcome> {
  const rows = inRowOrder(changes);
  const terms = termsOfUpsert(conditions);
  return {
    statements: [
      'START TRANSACTION',
      // Binary, so that its texts are compared by byte.
      `SET @took = ${bytes(writerList(changes))}, @ghosts = 0, @now = ${CLOCK}`,
      upsertRecords(rows),
      hasEvents(changes)
        ? `${insertHistory(changes, terms)} RETURNING at, id`
        : `SELECT ${guarded(CLOCK, conditions)} AS at`,
      ...writeAnswers(changes, terms),
      'COMMIT',
    ],
    read: ([, , returned = [], written]) => ({
      ...outcomeOf(rows, returned),
      ...readWritten(written),
    }),
  };
}

/**
 * `@took` is left with the applied writers. If there are none, the insert into the history lacks a
 * value and fails with `VALUE_MISSING`.
 */
function termsOfUpsert(conditions: string[]): AppliedTerms {
  const at = guarded(CLOCK, conditions);
  return {
    historyRow: (text) => `VALUES (${at}, ${text}, NULLIF(TRIM(',' FROM @took), ''))`,
    isApplied: (writer) => `FIND_IN_SET(${writer}, @took)`,
    hasTablesOfValues: true,
  };
}

/** @param written the instant, and the id of any new history row; no row: nothing was written */
function readWritten(written: Rows = []): Pick<PacketOutcome, 'now' | 'historyId'> {
  const [row] = written;
  if (!row) return { now: null };
  const [at, id] = row;
  return { now: Number(at), ...(id !== undefined && { historyId: Number(id) }) };
}

/**
 * One statement for all records, existing or not, so that rows are locked in one order.
 *
 * An existing row is compared, under its lock, with what its change expects; the writer of a change
 * that lost is taken out of `@took`. Assignments run from left to right, so all but the first only
 * test whether the writer was written. Rev and writer of each row are returned as they are
 * afterwards, in the order of the values; so are head and queue of one that was not written, unless
 * another packet wrote it within the same millisecond.
 *
 * A change that expects a row and finds none leaves a ghost (a row with `seen`), which sets
 * `@ghosts`: the guard makes sure that none is ever committed.
 */
function upsertRecords(rows: ChangedRow[]): string {
  const values = rows.map(({ id, change }) => `(${quote(id)},${recordValues(change)},@now)`);
  const writesQueue = rows.some(
    ({ change: { expect, queue } }) => expect !== null && queue !== null,
  );
  const assignments = writesQueue ? [...ASSIGNMENTS, ASSIGN_QUEUE] : ASSIGNMENTS;
  return (
    `INSERT INTO locks (id, rev, writer, head, queue, seen, changed_at) VALUES ${values} ON ` +
    `DUPLICATE KEY UPDATE ${assignments} RETURNING IF(seen = '', rev, @ghosts := 1) AS rev, ` +
    'writer, IF(changed_at = @now, NULL, head) AS head, IF(changed_at = @now, NULL, queue) AS queue'
  );
}

const TAKE_OUT = "@took := REPLACE(@took, CONCAT(',', VALUES(writer), ','), ',')";

const ASSIGNMENTS = [
  `writer = IF(VALUES(seen) = CONCAT(rev, ':', writer), VALUES(writer), ` +
    `IF((${TAKE_OUT}) IS NULL, writer, writer))`,
  ...ASSIGN_REST,
];

/** @param returned what the upsert returned, in the order of `rows` */
function outcomeOf(rows: ChangedRow[], returned: Rows): Pick<PacketOutcome, 'applied' | 'found'> {
  if (returned.length !== rows.length) {
    throw new Error('The database did not return every record.');
  }
  const applied = new Set<string>();
  const found = new Map<string, FoundRecord>();
  for (const [i, { id, change }] of rows.entries()) {
    const [rev, writer, head, queue] = returned[i] ?? [];
    const version = { rev: Number(rev), writer: String(writer) };
    if (version.rev === change.rev && version.writer === change.writer) applied.add(change.writer);
    else if (head === null || queue === null) found.set(id, version);
    else found.set(id, { ...version, head: String(head), queue: String(queue) });
  }
  return { applied, found };
}

/**
 * A single record that should exist, as in a handover: its window is tested under its row lock, and
 * it leaves no ghost. If the change lost, the record that is there instead is not read.
 */
function updateRecord(
  row: ChangedRow,
  expect: NonNullable<Change['expect']>,
): Packet<PacketOutcome> {
  const { id, change } = row;
  const { clock, writer } = change;
  const set = [...recordAssignments(change), `changed_at = ${CLOCK}`];
  const conditions = [clockIsIn(windowOf(clock)), ...isUnanswered([change])].join(' AND ');
  // ROW_COUNT() will not do: it is -1 if the client was gone when the update was answered, and the
  // remaining statements still run.
  const written = `FROM locks WHERE id = ${quote(id)} AND writer = ${quote(writer)}`;
  const terms: AppliedTerms = {
    historyRow: (text) => `SELECT ${CLOCK}, ${text}, writer ${written}`,
    isApplied: () => `EXISTS (SELECT 1 ${written})`,
    hasTablesOfValues: true,
  };
  return {
    statements: [
      'START TRANSACTION',
      `UPDATE locks SET ${set} WHERE id = ${quote(id)} AND rev = ${expect.rev} AND writer = ` +
        `${quote(expect.writer)} AND ${conditions}`,
      hasEvents([change])
        ? `${insertHistory([change], terms)} RETURNING at, id`
        : `SELECT ${CLOCK} AS at ${written}`,
      ...writeAnswers([change], terms),
      'COMMIT',
    ],
    read([, , answered]) {
      const written = readWritten(answered);
      return { applied: new Set(written.now === null ? [] : [writer]), found: null, ...written };
    },
  };
}
