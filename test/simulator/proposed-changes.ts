import { decodeHistory } from '@/server/storage/codec/history-codec';
import { recordId, recordKey } from '@/server/storage/record-id';
import type { Change } from '@/server/storage/record-store';
import { currentVersion, decodeAnswer } from '@/server/storage/redis/redis-codec';

const PROPOSAL = /^(\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) /;

type EncodedParts = [id: string, expected: string, line: string, text: string];

/**
 * The arguments of a swap, decoded to changes. A simulated record is pure ASCII, so bytes are
 * characters.
 */
export function proposedChanges(
  history: string,
  n: number,
  proposals: string,
  answers: string[],
): Change[] {
  const take = (count: number) => answers.splice(0, count) as [string, string, string];
  let left = proposals;
  const cut = (length: number) => {
    const text = left.slice(0, length);
    left = left.slice(length);
    return text;
  };
  const changes = Array.from({ length: n }, (): Change => {
    const [start = '', past, ahead, kept, extended, ...lengths] = PROPOSAL.exec(left) ?? [];
    cut(start.length);
    const [id, expected, line, text] = lengths.map((length) => cut(Number(length))) as EncodedParts;
    const [rev, writer] = text.split(' ', 2);
    return {
      key: recordKey(id),
      expect: expected === '' ? null : currentVersion(expected.trimEnd()),
      clock: { past: Number(past), ahead: Number(ahead) },
      rev: Number(rev),
      writer: writer ?? '',
      head: text.slice(`${rev} ${writer} `.length),
      queue: line === '=' ? null : line.slice(1),
      events: [],
      memos: Array.from({ length: Number(kept) }, () => {
        const [key, memo, expiresAt] = take(3);
        return decodeAnswer(key, memo, Number(expiresAt));
      }),
      extensions: Array.from({ length: Number(extended) }, () => {
        const [key, expiresAt] = take(2);
        return { keys: [key], expiresAt: Number(expiresAt) };
      }),
    };
  });
  if (history === '') return changes;
  const took = changes.map(({ writer }) => writer).join(',');
  const told = decodeHistory({ id: 0, at: 0, changes: history, took }).changes;
  return changes.map((change) => {
    const id = recordId(change.key);
    return { ...change, events: told.find(({ key }) => recordId(key) === id)?.events ?? [] };
  });
}
