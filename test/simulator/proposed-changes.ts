import { decodeHistory } from '@/server/backends/history-text';
import { recordId, recordKey } from '@/server/backends/record-id';
import type { Change } from '@/server/backends/record-store';
import { memoOf, standingRecord } from '@/server/backends/redis-text';

const PROPOSAL = /^(\d+) (\d+) (\d+) (\d+) (\d+) (\d+) /;

/** What a swap was told, as changes again. Nothing in a simulated record is more than ASCII, so bytes are characters. */
export function proposedChanges(history: string, n: number, args: string[]): Change[] {
  const answers = args.slice(2 * n);
  const take = (count: number) => answers.splice(0, count) as [string, string, string];
  const changes = Array.from({ length: n }, (_, i): Change => {
    const [id = '', proposal = ''] = args.slice(2 * i);
    const [start = '', past, ahead, kept, extended, length, size] = PROPOSAL.exec(proposal) ?? [];
    const body = proposal.slice(start.length);
    const line = body.slice(Number(length), Number(length) + Number(size));
    const text = body.slice(Number(length) + Number(size));
    const [rev, writer] = text.split(' ', 2);
    return {
      key: recordKey(id),
      expect: length === '0' ? null : standingRecord(body.slice(0, Number(length) - 1)),
      clock: { past: Number(past), ahead: Number(ahead) },
      rev: Number(rev),
      writer: writer ?? '',
      head: text.slice(`${rev} ${writer} `.length),
      queue: line === '=' ? null : line.slice(1),
      events: [],
      memos: Array.from({ length: Number(kept) }, () => {
        const [key, memo, expiresAt] = take(3);
        return memoOf(key, memo, Number(expiresAt));
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
