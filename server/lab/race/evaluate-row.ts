import type { LabRowVerdict } from '../../contract/console/lab/lab-race';
import { exactCount } from '../../core/format/numbers';

/** What is known at the end of one entry's race. */
export interface EndOfRace {
  kind: 'lock' | 'counter' | 'wrong way' | 'service';
  sold: number;
  stock: number;
  /** What the stock row or the counter says is left; null where it could not be read. */
  left: number | null;
  /** Why the race could not be finished; null if it could. */
  failure: string | null;
  /** Whether buyers were still selling when the time was over. */
  ranOutOfTime: boolean;
  limitMs: number;
  /** How the paused buyer's order ended; null where there was none. */
  paused: string | null;
}

export interface RowEvaluation {
  oversold: number;
  verdict: LabRowVerdict;
  reason?: string;
}

/**
 * Evaluates one entry's race. Units are oversold if they were sold beyond the stock; before that
 * point, if the row still offers what was sold. Pure.
 */
export function evaluateRow(end: EndOfRace): RowEvaluation {
  const { kind, sold, stock, left, failure, ranOutOfTime, limitMs, paused } = end;
  const offered = Math.max(0, left ?? 0);
  const oversold = sold > stock ? sold - stock : Math.max(0, sold + offered - stock);
  const reasons: string[] = [];
  if (failure !== null) reasons.push(failure);
  if (ranOutOfTime && sold < stock) {
    const seconds = limitMs / 1_000;
    reasons.push(`It sold ${exactCount(sold)} of ${exactCount(stock)} within ${seconds} s.`);
  }
  if (oversold > 0 && sold <= stock) {
    const says = `the stock row still says ${exactCount(offered)}`;
    reasons.push(`${exactCount(sold)} were sold, and ${says}.`);
  }
  if (oversold === 0 && kind === 'wrong way' && failure === null) {
    reasons.push('It was lucky: nothing in it prevents overselling.');
  }
  if (paused !== null) reasons.push(`The paused worker: ${paused}.`);
  const verdict = oversold > 0 ? 'oversells' : failure !== null ? 'incomplete' : 'holds';
  return { oversold, verdict, ...(reasons.length > 0 && { reason: reasons.join(' ') }) };
}
