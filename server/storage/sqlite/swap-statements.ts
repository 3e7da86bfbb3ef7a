import type { InStatement, ResultSet } from '@libsql/client';
import { encodeHistory, hasEvents } from '../codec/history-codec';
import { recordId } from '../record-id';
import type { Change } from '../record-store';
import extendAnswers from './sql/extend-answers.sql';
import insertAnswers from './sql/insert-answers.sql';
import insertHistory from './sql/insert-history.sql';
import insertOneAnswer from './sql/insert-one-answer.sql';
import insertOneHistory from './sql/insert-one-history.sql';
import insertRecords from './sql/insert-records.sql';
import updateOneRecord from './sql/update-one-record.sql';
import updateRecords from './sql/update-records.sql';

const NEVER = Number.MAX_SAFE_INTEGER;

/** The statements of one transaction. */
interface SwapStatements {
  statements: InStatement[];
  /**
   * How many of them, at the beginning, write the records of the applied changes. The next one
   * writes the history, if any change has events.
   */
  records: number;
}

/**
 * The statements that apply each change whose record is as expected, within its window, and then
 * write the history and the answers of the applied changes.
 *
 * @param now the store's clock, in epoch milliseconds
 */
export function swapStatements(changes: Change[], now: number): SwapStatements {
  const [change, ...more] = changes;
  if (change?.expect && more.length === 0 && isOfOneCall(change)) {
    return updateOne(change, change.expect, now);
  }
  const created = changes.filter(({ expect }) => !expect);
  const changed = changes.filter(({ expect }) => expect);
  const records = [
    ...(created.length > 0 ? [{ sql: insertRecords, args: [proposalsOf(created), now] }] : []),
    ...(changed.length > 0 ? [{ sql: updateRecords, args: [proposalsOf(changed), now] }] : []),
  ];
  const statements = [...records, ...historyOf(changes, now), ...answersOf(changes)];
  return { statements, records: records.length };
}

/** @param next the result of the statement after those that write the records */
export function historyIdOf(changes: Change[], next: ResultSet | undefined): number | undefined {
  const isWritten = hasEvents(changes) && next?.rowsAffected === 1;
  return isWritten ? Number(next.lastInsertRowid) : undefined;
}

/** Whether a change can be written without lists, as most changes of one call can. */
const isOfOneCall = ({ extensions, unanswered = [] }: Change): boolean =>
  extensions.length === 0 && unanswered.length <= 1;

/** For most commits: one call for a lock that exists. */
function updateOne(
  change: Change,
  expect: NonNullable<Change['expect']>,
  now: number,
): SwapStatements {
  const { key, clock, writer, rev, head, queue, unanswered: [request = null] = [] } = change;
  const id = recordId(key);
  const seen = [id, expect.rev, expect.writer];
  const window = [clock.past, Math.min(clock.ahead, NEVER)];
  const update = {
    sql: updateOneRecord,
    args: [rev, writer, head, queue, now, ...seen, ...window, request],
  };
  const history =
    change.events.length > 0
      ? [{ sql: insertOneHistory, args: [now, encodeHistory([change]), writer] }]
      : [];
  const answers = change.storedAnswers.map(({ key: requestKey, inputHash, answer, expiresAt }) => ({
    sql: insertOneAnswer,
    args: [requestKey, inputHash, JSON.stringify(answer), expiresAt, id, writer],
  }));
  return { statements: [update, ...history, ...answers], records: 1 };
}

/** Lists are passed as one JSON parameter, so that every statement is a constant. */
function proposalsOf(changes: Change[]): string {
  return JSON.stringify(
    changes.map(({ key, expect, clock, writer, rev, head, queue, unanswered = [] }) => ({
      id: recordId(key),
      seenRev: expect?.rev ?? null,
      seenWriter: expect?.writer ?? null,
      past: clock.past,
      ahead: Math.min(clock.ahead, NEVER),
      rev,
      writer,
      head,
      queue,
      unanswered,
    })),
  );
}

function historyOf(changes: Change[], now: number): InStatement[] {
  if (!hasEvents(changes)) return [];
  const writers = JSON.stringify(changes.map((change) => change.writer));
  const ids = JSON.stringify(changes.map((change) => recordId(change.key)));
  return [{ sql: insertHistory, args: [writers, encodeHistory(changes), now, ids] }];
}

function answersOf(changes: Change[]): InStatement[] {
  const storedAnswers = changes.flatMap(({ key, writer, storedAnswers: kept }) =>
    kept.map((one) => ({
      ...one,
      answer: JSON.stringify(one.answer),
      id: recordId(key),
      writer,
    })),
  );
  const extensions = changes.flatMap(({ key, writer, extensions: extended }) =>
    extended.flatMap(({ keys, expiresAt }) =>
      keys.map((requestKey) => ({ key: requestKey, expiresAt, id: recordId(key), writer })),
    ),
  );
  return [
    ...(storedAnswers.length > 0
      ? [{ sql: insertAnswers, args: [JSON.stringify(storedAnswers)] }]
      : []),
    ...(extensions.length > 0 ? [{ sql: extendAnswers, args: [JSON.stringify(extensions)] }] : []),
  ];
}
