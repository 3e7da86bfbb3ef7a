import { useState } from 'react';
import { isOutcomeUnknown, type Problem, problemOf } from '../live/problem';

export interface ActionAttempt {
  isBusy: boolean;
  problem: Problem | null;
  /** It is under way, or may have been done though it failed. */
  isUnclear: boolean;
  run: () => void;
  /** What went wrong with what was seen says nothing of what is there now. */
  forget: () => void;
}

/** One try at a time of something that may fail. */
export function useActionAttempt(work: () => Promise<void>): ActionAttempt {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const attempt = async () => {
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
  const isUnclear = isBusy || isOutcomeUnknown(problem);
  return { isBusy, problem, isUnclear, run: () => void attempt(), forget: () => setProblem(null) };
}

const ID_BYTES = 12;

/**
 * The request id of what a dialog does, the same however often its button is pressed: an act whose
 * answer got lost is not done twice.
 *
 * @param seen what the act rests on, such as the token of a hold: on another one it is another act
 */
export function useRequestId(seen: string | number = ''): string {
  const [dialog] = useState(randomId);
  return `${dialog}-${seen}`;
}

/** Not `randomUUID`, which browsers have on secure addresses alone. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
