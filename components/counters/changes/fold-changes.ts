import type { CounterMoveRow } from '@/server/contract/console/counter-row';
import { SECOND_MS } from '@/server/core/time-units';

/** One line of a counter's history: a change, or those of one service within one second. */
export interface ChangeFold {
  /** The oldest of its changes, so that it stays the same line while it grows. */
  id: string;
  /** The newest of its changes. */
  move: CounterMoveRow;
  count: number;
  /** What all of them changed together; null where the first set the value. */
  delta: number | null;
}

/** Folds what services added; each change by a user keeps its own line. Newest first, as given. */
export function foldChanges(moves: readonly CounterMoveRow[]): ChangeFold[] {
  const folds: ChangeFold[] = [];
  for (const move of moves) {
    const last = folds.at(-1);
    if (last && isSameRun(last.move, move)) {
      last.id = move.id;
      last.count += 1;
      last.delta = (last.delta ?? 0) + (move.delta ?? 0);
    } else {
      folds.push({ id: move.id, move, count: 1, delta: move.delta });
    }
  }
  return folds;
}

const isSameRun = (a: CounterMoveRow, b: CounterMoveRow) =>
  a.kind === 'added' &&
  b.kind === 'added' &&
  a.service === b.service &&
  Math.floor(a.at / SECOND_MS) === Math.floor(b.at / SECOND_MS);
