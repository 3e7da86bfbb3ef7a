import type { IdempotencyRecord } from '../../core/decision';
import { encodeHistory } from '../codec/history-codec';
import { recordId } from '../record-id';
import { type Change, type StoredRecord, StoreError } from '../record-store';
import type { Reply } from './redis-script';

/** A record as text: a sign, `q` if it has a queue, then rev, writer and head, by blanks. */
export function storedRecord(text: string, queue: string): StoredRecord {
  const [rev, writer, headFrom] = parseVersion(text, 1);
  return { rev, writer, head: text.slice(headFrom), queue };
}

/** What a swap returns of the current record. */
export function currentVersion(text: string): { rev: number; writer: string } {
  const [rev, writer] = parseVersion(`${text} `, 0);
  return { rev, writer };
}

function parseVersion(text: string, from: number): [rev: number, writer: string, end: number] {
  const afterRev = text.indexOf(' ', from);
  const afterWriter = text.indexOf(' ', afterRev + 1);
  if (afterRev < 0 || afterWriter < 0) return [Number.NaN, '', from];
  const rev = Number(text.slice(from, afterRev));
  return [rev, text.slice(afterRev + 1, afterWriter), afterWriter + 1];
}

/** How the text of such a record begins, after its sign. */
export function versionPrefix({ rev, writer }: { rev: number; writer: string }): string {
  return `${rev} ${writer} `;
}

export function decodeAnswer(key: string, text: string, expiresAt: number): IdempotencyRecord {
  const end = text.indexOf('\n');
  const answer: unknown = JSON.parse(text.slice(end + 1));
  return { key, inputHash: text.slice(0, end), answer, expiresAt };
}

/** The arguments of `SWAP` for these changes, after incarnation and heartbeat. */
export function swapArguments(
  changes: Change[],
  how: 'each' | 'all',
  isStale: (change: Change) => boolean,
): (string | number)[] {
  const hasHistory = changes.some((change) => change.events.length > 0);
  const history = hasHistory ? encodeHistory(changes) : '';
  const args: (string | number)[] = [how, history, changes.length, proposalsOf(changes, isStale)];
  for (const { memos, extensions } of changes) {
    for (const { key, inputHash, answer, expiresAt } of memos) {
      args.push(key, `${inputHash}\n${JSON.stringify(answer)}`, instant(expiresAt));
    }
    for (const { keys, expiresAt } of extensions) {
      for (const key of keys) args.push(key, instant(expiresAt));
    }
  }
  return args;
}

/** Redis counts in bytes. They are counted text by text only if not all of them are ASCII. */
function proposalsOf(changes: Change[], isStale: (change: Change) => boolean): string {
  const said = (lengthOf: (text: string) => number) =>
    changes.map((change) => proposalOf(change, isStale(change), lengthOf)).join('');
  const proposals = said((text) => text.length);
  return Buffer.byteLength(proposals) === proposals.length ? proposals : said(Buffer.byteLength);
}

function proposalOf(change: Change, isStale: boolean, lengthOf: (text: string) => number): string {
  const { expect, clock, rev, writer, head, queue, memos, extensions } = change;
  const past = Math.ceil(clock.past);
  const ahead = isStale ? 0 : Math.ceil(Math.min(clock.ahead, Number.MAX_SAFE_INTEGER));
  const extended = extensions.reduce((sum, { keys }) => sum + keys.length, 0);
  const id = recordId(change.key);
  const expected = expect ? versionPrefix(expect) : '';
  const line = queue === null ? '=' : `+${queue}`;
  const text = `${rev} ${writer} ${head}`;
  const lengths = `${lengthOf(id)} ${expected.length} ${lengthOf(line)} ${lengthOf(text)}`;
  return `${past} ${ahead} ${memos.length} ${extended} ${lengths} ${id}${expected}${line}${text}`;
}

/** Redis accepts only whole milliseconds after 1970. */
function instant(at: number): number {
  return Math.max(1, Math.floor(at));
}

/** A list of at least `length` values; otherwise the outcome of the call is unknown. */
export function requireList(reply: Reply, length: number): Reply[] {
  if (Array.isArray(reply) && reply.length >= length && typeof reply[0] === 'number') return reply;
  throw unreadableReply();
}

export function unreadableReply(): StoreError {
  return new StoreError('Redis sent an answer that cannot be read.', 'unknown');
}
