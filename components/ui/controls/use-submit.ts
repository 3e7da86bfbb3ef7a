'use client';

import { useState } from 'react';
import { useProblem } from '../../live/use-problem';

/** Runs one attempt of an action at a time, and keeps the problem of the last one that failed. */
export function useSubmit() {
  const [isBusy, setBusy] = useState(false);
  const { problem, fail, clear } = useProblem();
  const submit = async (action: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    clear();
    try {
      await action();
    } catch (error) {
      fail(error);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, submit };
}
