import { type Change, type RecordStore, StoreError, type SwapResult } from './record-store';

/**
 * Swaps changes that together are too large for one packet of their store, so that none of them was
 * sent: splits independent changes into two packets, and so on. A change that is too large on its
 * own is reported as such if it could otherwise be applied.
 *
 * @throws StoreError `applied: 'unknown'` if one packet was answered and the other was not
 */
export async function splitOversizeSwap(
  store: Pick<RecordStore, 'read' | 'swap'>,
  changes: Change[],
  how: 'each' | 'all',
): Promise<SwapResult[]> {
  if (how === 'all' || changes.length === 1) return refused(store, changes);
  const half = Math.ceil(changes.length / 2);
  const first = await store.swap(changes.slice(0, half));
  try {
    return [...first, ...(await store.swap(changes.slice(half)))];
  } catch (cause) {
    throw new StoreError('Only part of a swap was answered.', 'unknown', { cause });
  }
}

async function refused(store: Pick<RecordStore, 'read'>, changes: Change[]): Promise<SwapResult[]> {
  const keys = changes.map((change) => change.key);
  const requestKeys = changes.flatMap(({ unanswered = [] }) => unanswered);
  const { records, storedAnswers } = await store.read(keys, requestKeys);
  const isExpectedAndTimely = changes.every(({ expect, clock }, i) => {
    const { record = null, now = 0 } = records[i] ?? {};
    const isExpected = record?.rev === expect?.rev && record?.writer === expect?.writer;
    return isExpected && now >= clock.past && now < clock.ahead;
  });
  const couldApply = storedAnswers.length === 0 && isExpectedAndTimely;
  return records.map(({ record, now }) => ({
    applied: false,
    now,
    current: record && { rev: record.rev, writer: record.writer },
    ...(couldApply ? { isTooLarge: true } : {}),
  }));
}
