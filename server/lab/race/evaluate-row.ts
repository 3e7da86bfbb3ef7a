import type { LabRowVerdict } from '../../contract/console/lab/lab-race';
import { exactCount } from '../../core/format/numbers';

/** The facts at the end of one entry's race. */
export interface EndOfRace {
  kind: 'lock' | 'counter' | 'wrong way' | 'service';
  sold: number;
  stock: number;
  /** What is left according to the stock row or the counter; null if it could not be read. */
  left: number | null;
  /** Why the race could not be finished; null if it could. */
  failure: string | null;
  /** Whether buyers were still selling at the time limit. */
  ranOutOfTime: boolean;
  limitMs: number;
  /** How the paused buyer's order ended; null if there was no paused buyer. */
  paused: string | null;
}

export interface RowEvaluation {
  oversold: number;
  verdict: LabRowVerdict;
  reason?: string;
}

/**
 * Evaluates one entry's race. Units are oversold if more than the stock were sold, or if those sold
 * and those that the row still offers are more than the stock. Pure.
 */
export function evaluateRow(end: EndOfRace): RowEvaluation {
  const { kind, sold, stock, left, failure, ranOutOfTime, limitMs, paused } = end;
  const offered = Math.max(0, left ?? 0);
  const oversold = sold > stock ? sold - stock : Math.max(0, sold + offered - stock);
  const reasons: string[] = [];
  if (failure !== null) reasons.push(failure);
  const isLate = ranOutOfTime && sold < stock;
  const isOversoldEarly = oversold > 0 && sold <= stock;
  if (isLate || isOversoldEarly) {
    const count = isLate
      ? `It sold ${exactCount(sold)} of ${exactCount(stock)} within ${limitMs / 1_000} s`
      : `${exactCount(sold)} were sold`;
    const rest = isOversoldEarly ? `, and the stock row still says ${exactCount(offered)}` : '';
    reasons.push(`${count}${rest}.`);
  }
  if (oversold === 0 && kind === 'wrong way' && failure === null) {
    reasons.push('It was lucky: nothing in it prevents overselling.');
  }
  if (paused !== null) reasons.push(`The paused worker: ${paused}.`);
  const verdict = oversold > 0 ? 'oversells' : failure !== null ? 'incomplete' : 'holds';
  return { oversold, verdict, ...(reasons.length > 0 && { reason: reasons.join(' ') }) };
}
