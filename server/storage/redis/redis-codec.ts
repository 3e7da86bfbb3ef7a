import type { IdempotencyRecord } from '../../core/decision';
import { encodeHistory, hasEvents } from '../codec/history-codec';
import { recordId } from '../record-id';
import { type Change, type StoredRecord, StoreError, type SwapResult } from '../record-store';
import { HAS_QUEUE, NO_QUEUE, PREFIX, type Reply } from './redis-script';

/** Parses a record's text: the sign of a queue or of none; rev, writer, head, split by blanks. */
export function storedRecord(text: string, queue: string): StoredRecord {
  const [rev, writer, headFrom] = parseVersion(text, 1);
  return { rev, writer, head: text.slice(headFrom), queue };
}

/**
 * Parses what a swap returns about the current record. `found` is the whole record; it is absent if
 * the record has a queue, which is stored apart.
 */
export function lostTo(text: string): Pick<SwapResult, 'current' | 'found'> {
  const found = storedRecord(text, '');
  const current = { rev: found.rev, writer: found.writer };
  return text.startsWith(NO_QUEUE) ? { current, found } : { current };
}

function parseVersion(text: string, from: number): [rev: number, writer: string, end: number] {
  const afterRev = text.indexOf(' ', from);
  const afterWriter = text.indexOf(' ', afterRev + 1);
  if (afterRev < 0 || afterWriter < 0) return [Number.NaN, '', from];
  const rev = Number(text.slice(from, afterRev));
  return [rev, text.slice(afterRev + 1, afterWriter), afterWriter + 1];
}

/** How the text of a record at this rev by this writer begins, after its sign. */
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
  const history = hasEvents(changes) ? encodeHistory(changes) : '';
  const writers = changes.map(({ writer }) => writer).join(',');
  const unanswered: string[] = [];
  for (const change of changes) if (change.unanswered) unanswered.push(...change.unanswered);
  const proposals = proposalsOf(changes, isStale);
  const args: (string | number)[] = [how, history, writers, ...proposals, unanswered.join(',')];
  for (const { storedAnswers, extensions } of changes) {
    for (const { key, inputHash, answer, expiresAt } of storedAnswers) {
      args.push(key, `${inputHash}\n${JSON.stringify(answer)}`, instant(expiresAt));
    }
    for (const { keys, expiresAt } of extensions) {
      for (const key of keys) args.push(key, instant(expiresAt));
    }
  }
  return args;
}

/** The numbers and the texts of all changes, as `swap.lua` takes them. */
function proposalsOf(
  changes: Change[],
  isStale: (change: Change) => boolean,
): [numbers: string, texts: string] {
  const parts: string[] = [];
  for (const change of changes) addTexts(parts, change);
  const texts = parts.join('');
  // Redis counts in bytes. They are counted text by text only if not all of them are ASCII.
  const isAscii = Buffer.byteLength(texts) === texts.length;
  const lengthOf = isAscii ? (text = '') => text.length : (text = '') => Buffer.byteLength(text);
  const numbers: number[] = [];
  for (const [i, change] of changes.entries()) {
    const { clock, storedAnswers, extensions } = change;
    const at = i * TEXTS_OF_CHANGE;
    numbers.push(
      Math.ceil(clock.past),
      isStale(change) ? 0 : Math.ceil(Math.min(clock.ahead, Number.MAX_SAFE_INTEGER)),
      change.unanswered?.length ?? 0,
      storedAnswers.length,
      extensions.reduce((sum, { keys }) => sum + keys.length, 0),
      lengthOf(parts[at]),
      lengthOf(parts[at + 1]),
      change.queue === null ? -1 : lengthOf(parts[at + 2]),
      lengthOf(parts[at + 3]) + lengthOf(parts[at + 4]),
    );
  }
  return [JSON.stringify(numbers), texts];
}

const TEXTS_OF_CHANGE = 5;

/** Adds the `TEXTS_OF_CHANGE`: key, expected version, queue, and the record in two parts. */
function addTexts(parts: string[], { key, expect, rev, writer, head, queue }: Change): void {
  const sign = queue ? HAS_QUEUE : NO_QUEUE;
  parts.push(
    PREFIX.record + recordId(key),
    expect ? versionPrefix(expect) : '',
    queue ?? '',
    sign + versionPrefix({ rev, writer }),
    head,
  );
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
