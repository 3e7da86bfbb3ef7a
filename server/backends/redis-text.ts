import type { Memo } from '../domain/decision';
import { encodeHistory } from './history-text';
import { recordId } from './record-id';
import { type Change, type StoredRecord, StoreError } from './record-store';
import type { RedisKeys } from './redis-keys';
import type { Reply } from './redis-script';

/** The sign of a record that has a queue. */
export const HAS_QUEUE = 'q';

/** A record's text is a sign, `q` where it has a queue, then rev, writer and head with a blank between them. */
export function storedRecord(text: string, queue: string): StoredRecord {
  const [rev, writer, headFrom] = standing(text, 1);
  return { rev, writer, head: text.slice(headFrom), queue };
}

/** What a swap says of the record that stands. */
export function standingRecord(text: string): { rev: number; writer: string } {
  const [rev, writer] = standing(`${text} `, 0);
  return { rev, writer };
}

function standing(text: string, from: number): [rev: number, writer: string, end: number] {
  const afterRev = text.indexOf(' ', from);
  const afterWriter = text.indexOf(' ', afterRev + 1);
  const rev = Number(text.slice(from, afterRev));
  if (afterRev < 0 || afterWriter < 0 || !Number.isSafeInteger(rev)) throw unreadableReply();
  return [rev, text.slice(afterRev + 1, afterWriter), afterWriter + 1];
}

/** How a record that stands so begins, behind its sign. */
export function beginning({ rev, writer }: { rev: number; writer: string }): string {
  return `${rev} ${writer} `;
}

export function memoOf(key: string, text: string, expiresAt: number): Memo {
  const end = text.indexOf('\n');
  const answer: unknown = JSON.parse(text.slice(end + 1));
  return { key, inputHash: text.slice(0, end), answer, expiresAt };
}

/** Everything that `SWAP` wants to know of these changes, behind life and beat. */
export function swapArguments(
  keys: RedisKeys,
  changes: Change[],
  how: 'each' | 'all',
  isStale: (change: Change) => boolean,
): { keys: string[]; args: (string | number)[] } {
  const ids = changes.map((change) => recordId(change.key));
  const names = [keys.marker, keys.ids, keys.history];
  for (const id of ids) names.push(keys.record(id));
  for (const id of ids) names.push(keys.queue(id));
  const hasHistory = changes.some((change) => change.events.length > 0);
  const args = [how, hasHistory ? encodeHistory(changes) : '', changes.length];
  const answers: (string | number)[] = [];
  for (const [i, change] of changes.entries()) {
    const { expect, clock, rev, writer, head, queue, memos, extensions } = change;
    for (const memo of memos) {
      names.push(keys.answer(memo.key));
      answers.push(`${memo.inputHash}\n${JSON.stringify(memo.answer)}`, instant(memo.expiresAt));
    }
    let extended = 0;
    for (const { keys: requestKeys, expiresAt } of extensions) {
      for (const key of requestKeys) {
        names.push(keys.answer(key));
        answers.push(instant(expiresAt));
        extended += 1;
      }
    }
    args.push(
      ids[i] ?? '',
      expect ? beginning(expect) : '',
      clock.past,
      isStale(change) ? 0 : Math.min(clock.ahead, Number.MAX_SAFE_INTEGER),
      `${rev} ${writer} ${head}`,
      queue === null ? '=' : `+${queue}`,
      writer,
      memos.length,
      extended,
    );
  }
  return { keys: names, args: args.concat(answers) };
}

/** Redis takes whole milliseconds after 1970 and nothing else. */
function instant(at: number): number {
  return Math.max(1, Math.floor(at));
}

/** A list of at least so many values, or nothing is known of what became of the call. */
export function listOf(reply: Reply, length: number): Reply[] {
  if (Array.isArray(reply) && reply.length >= length && typeof reply[0] === 'number') return reply;
  throw unreadableReply();
}

export function unreadableReply(): StoreError {
  return new StoreError('Redis answered something that it cannot mean.', 'unknown');
}
