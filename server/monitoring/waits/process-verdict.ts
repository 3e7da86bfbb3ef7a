import type { LivenessVerdict } from '../../core/status/holder-liveness';

/** The clearest of the verdicts on one process: a proof of its death, else a sign of its life. */
export function clearest(verdicts: readonly LivenessVerdict[]): LivenessVerdict | null {
  const dead = verdicts.find(({ state }) => state === 'dead');
  const alive = verdicts.filter(({ state }) => state === 'alive');
  alive.sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
  return dead ?? alive[0] ?? verdicts[0] ?? null;
}

/** A verdict whose instants are moved to another clock. */
export function shifted(verdict: LivenessVerdict, byMs: number): LivenessVerdict {
  const { at, since } = verdict;
  return { ...verdict, at: at && at + byMs, since: since && since + byMs };
}
