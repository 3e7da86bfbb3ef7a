import { decodeHistory } from '@/server/storage/codec/history-codec';
import { recordId, recordKey } from '@/server/storage/record-id';
import type { Change } from '@/server/storage/record-store';
import { decodeAnswer } from '@/server/storage/redis/redis-codec';
import { NO_QUEUE, PREFIX } from '@/server/storage/redis/redis-script';

/** How many numbers a change has. */
const NUMBERS = 9;

type EncodedParts = [key: string, expected: string, queue: string, record: string];

/**
 * The arguments of a swap, decoded to changes. A simulated record is pure ASCII, so bytes are
 * characters.
 */
export function proposedChanges(
  history: string,
  numbers: number[],
  texts: string,
  requests: string,
  answers: string[],
): Change[] {
  const requestKeys = requests.split(',');
  const take = (count: number) => answers.splice(0, count) as [string, string, string];
  let left = texts;
  const cut = (length: number) => {
    const text = left.slice(0, length);
    left = left.slice(length);
    return text;
  };
  const changes = Array.from({ length: numbers.length / NUMBERS }, (_, i): Change => {
    const own = numbers.slice(i * NUMBERS, (i + 1) * NUMBERS);
    const [past = 0, ahead = 0, unanswered = 0, kept = 0, extended = 0, ...lengths] = own;
    const parts = lengths.map((length) => cut(Math.max(length, 0)));
    const [recordKeyText, expected, queue, record] = parts as EncodedParts;
    const text = record.slice(NO_QUEUE.length);
    const [rev, writer] = text.split(' ', 2);
    const [expectedRev, expectedWriter = ''] = expected.split(' ', 2);
    return {
      key: recordKey(recordKeyText.slice(PREFIX.record.length)),
      expect: expected === '' ? null : { rev: Number(expectedRev), writer: expectedWriter },
      clock: { past, ahead },
      rev: Number(rev),
      writer: writer ?? '',
      head: text.slice(`${rev} ${writer} `.length),
      queue: lengths[2] === -1 ? null : queue,
      events: [],
      unanswered: requestKeys.splice(0, unanswered),
      storedAnswers: Array.from({ length: kept }, () => {
        const [key, storedAnswer, expiresAt] = take(3);
        return decodeAnswer(key, storedAnswer, Number(expiresAt));
      }),
      extensions: Array.from({ length: extended }, () => {
        const [key, expiresAt] = take(2);
        return { keys: [key], expiresAt: Number(expiresAt) };
      }),
    };
  });
  if (history === '') return changes;
  const took = changes.map(({ writer }) => writer).join(',');
  const written = decodeHistory({ id: 0, at: 0, changes: history, took }).changes;
  return changes.map((change) => {
    const id = recordId(change.key);
    return { ...change, events: written.find(({ key }) => recordId(key) === id)?.events ?? [] };
  });
}
