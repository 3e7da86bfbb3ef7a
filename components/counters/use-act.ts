import { useState } from 'react';
import { type Problem, problemOf } from '../live/problem';

export interface Act {
  isBusy: boolean;
  problem: Problem | null;
  run: () => void;
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
  return { isBusy, problem, run: () => void tryIt() };
}
