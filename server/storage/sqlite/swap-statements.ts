import type { InStatement } from '@libsql/client';
import type { SoleStatement } from '../../../db/sqlite/sqlite-writer';
import { encodeHistory } from '../codec/history-codec';
import { recordId } from '../record-id';
import type { Change } from '../record-store';
import extendAnswers from './sql/extend-answers.sql';
import insertAnswers from './sql/insert-answers.sql';
import insertHistory from './sql/insert-history.sql';
import insertOneSwap from './sql/insert-one-swap.sql';
import insertRecords from './sql/insert-records.sql';
import updateRecords from './sql/update-records.sql';

const NEVER = Number.MAX_SAFE_INTEGER;

/** The statements of one transaction. */
interface SwapStatements {
  statements: InStatement[];
  /** So many of them, at the beginning, write a record for each change that is applied. */
  records: number;
}

/** When a swap is made, and what it goes on from. */
export interface SwapPlace {
  /** The store's clock, in epoch milliseconds. */
  now: number;
  /** The highest id of a history row so far, if no row is there. */
  lastId: number;
}

/**
 * What applies each change whose record is as expected, within its window, and then writes history
 * and answers of those that were applied.
 */
export function swapStatements(changes: Change[], { now, lastId }: SwapPlace): SwapStatements {
  const created = changes.filter(({ expect }) => !expect);
  const changed = changes.filter(({ expect }) => expect);
  const records = [
    ...(created.length > 0 ? [{ sql: insertRecords, args: [proposalsOf(created), now] }] : []),
    ...(changed.length > 0 ? [{ sql: updateRecords, args: [proposalsOf(changed), now] }] : []),
  ];
  const statements = [...records, ...historyOf(changes, { now, lastId }), ...answersOf(changes)];
  return { statements, records: records.length };
}

const NO_VALUES = Array.from({ length: 12 }, () => null);

/**
 * The same in one statement, which fails if the change is not applied: most commits are of one lock
 * that exists, and keep no answer. Null for any other.
 */
export function oneSwapStatement(
  changes: Change[],
  { now, lastId }: SwapPlace,
): SoleStatement | null {
  const [change] = changes;
  if (changes.length !== 1 || !change?.expect) return null;
  const { key, expect, clock, writer, rev, head, queue, events, memos, extensions } = change;
  if (memos.length > 0 || extensions.length > 0) return null;
  const seen = [recordId(key), expect.rev, expect.writer];
  const window = [clock.past, Math.min(clock.ahead, NEVER)];
  const history = events.length > 0 ? encodeHistory(changes) : null;
  const args = [...seen, ...window, rev, writer, head, queue, now, history, lastId];
  return { sql: insertOneSwap, args, idle: NO_VALUES };
}

/** Lists come as one JSON parameter, so every statement is a constant. */
function proposalsOf(changes: Change[]): string {
  return JSON.stringify(
    changes.map(({ key, expect, clock, writer, rev, head, queue }) => ({
      id: recordId(key),
      seenRev: expect?.rev ?? null,
      seenWriter: expect?.writer ?? null,
      past: clock.past,
      ahead: Math.min(clock.ahead, NEVER),
      rev,
      writer,
      head,
      queue,
    })),
  );
}

function historyOf(changes: Change[], { now, lastId }: SwapPlace): InStatement[] {
  if (changes.every((change) => change.events.length === 0)) return [];
  const writers = JSON.stringify(changes.map((change) => change.writer));
  const ids = JSON.stringify(changes.map((change) => recordId(change.key)));
  return [{ sql: insertHistory, args: [writers, encodeHistory(changes), now, ids, lastId] }];
}

function answersOf(changes: Change[]): InStatement[] {
  const memos = changes.flatMap(({ key, writer, memos: kept }) =>
    kept.map((memo) => ({
      ...memo,
      answer: JSON.stringify(memo.answer),
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
    ...(memos.length > 0 ? [{ sql: insertAnswers, args: [JSON.stringify(memos)] }] : []),
    ...(extensions.length > 0 ? [{ sql: extendAnswers, args: [JSON.stringify(extensions)] }] : []),
  ];
}
