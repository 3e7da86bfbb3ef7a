'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isOutcomeUnknown, type Problem, problemOf } from '../../live/problem';

/**
 * Runs one attempt of an action at a time, and keeps the problem of the last one that failed. If
 * the outcome is unknown, or others changed the subject, the page is read again to show its state.
 */
export function useSubmit() {
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const submit = async (action: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await action();
    } catch (error) {
      const met = problemOf(error, problem);
      setProblem(met);
      if (isOutcomeUnknown(met) || met.reason === 'CONFLICT') void queries.invalidateQueries();
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, submit, clear: () => setProblem(null) };
}
