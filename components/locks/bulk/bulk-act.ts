import type { LockRow } from '@/server/contract/console/lock-row';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import type { StoreObstacle } from '../../live/reading-store';
import { actObstacle } from '../possible-acts';

/** What can be done to many locks together. */
export type BulkAct = 'ask' | 'extend' | 'release' | 'freeze';

/** A lock as it was when the dialog opened, and why nothing can be done to it; null: it can. */
export interface BulkLock {
  row: LockRow;
  impossible: string | null;
}

/**
 * The selected locks as they are now, each with whether the act applies to it.
 *
 * @param atStoreOf why nothing can be done at the store of a lock; null: it can
 */
export function bulkLocks(
  act: BulkAct,
  rows: readonly LockRow[],
  atStoreOf: (row: LockRow) => StoreObstacle | null,
): BulkLock[] {
  return rows.map((row) => ({ row, impossible: impossibleBecause(act, row, atStoreOf(row)) }));
}

function impossibleBecause(
  act: BulkAct,
  row: LockRow,
  atStore: StoreObstacle | null,
): string | null {
  const obstacle = actObstacle(row, act === 'ask' ? 'request' : act, atStore);
  return act === 'freeze' && row.frozen ? (obstacle ?? 'already frozen') : obstacle;
}

/** How many locks have their result, of those that the act applies to. */
export function bulkProgress(done: number, locks: readonly BulkLock[]): string {
  const going = locks.filter(({ impossible }) => impossible === null);
  return `Working… ${exactCount(done)} of ${exactCount(going.length)}`;
}

/** The result of the act on one lock. */
export type BulkResult =
  | { kind: 'done'; text: string }
  | { kind: 'changed' }
  /** No answer came: the act may have been done. */
  | { kind: 'unclear'; text: string }
  | { kind: 'failed'; text: string };

export function bulkResultLabel(result: BulkResult | undefined): string {
  if (!result) return '';
  switch (result.kind) {
    case 'changed':
      return 'not done: holder has changed';
    case 'unclear':
      return `unclear: ${result.text}`;
    case 'failed':
      return `not done: ${result.text}`;
    default:
      return result.text;
  }
}

/** The results of all locks in total: “3 done, 1 not done”. */
export function bulkSummary(results: Iterable<BulkResult>): string {
  const counts = { done: 0, unclear: 0, not: 0 };
  for (const { kind } of results) {
    counts[kind === 'done' || kind === 'unclear' ? kind : 'not'] += 1;
  }
  const parts = [`${counts.done} done`];
  if (counts.not > 0) parts.push(`${counts.not} not done`);
  if (counts.unclear > 0) parts.push(`${counts.unclear} unclear`);
  return `${parts.join(', ')}.`;
}

/** Who holds a lock and how many wait for it, beside its name. */
export function bulkLockLabel({ hold, holders, waiters }: LockRow): string {
  const others = holders > 1 ? ` +${holders - 1}` : '';
  const held = hold ? `${visibleText(hold.owner)}${others}` : 'not held';
  return waiters > 0 ? `${held}, ${plural(waiters, 'waiter')}` : held;
}
