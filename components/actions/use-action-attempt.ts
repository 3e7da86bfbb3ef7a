import { useState } from 'react';
import { mayBeDone, type Problem, problemOf } from '../live/problem';

export interface Act {
  isBusy: boolean;
  problem: Problem | null;
  /** It is under way, or may have been done though it failed. */
  isUnclear: boolean;
  run: () => void;
  /** What went wrong with what was seen says nothing of what is there now. */
  forget: () => void;
}

/** One try at a time of something that may fail. */
export function useAct(work: () => Promise<void>): Act {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const tryIt = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  const isUnclear = isBusy || mayBeDone(problem);
  return { isBusy, problem, isUnclear, run: () => void tryIt(), forget: () => setProblem(null) };
}
