'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isOutcomeUnknown, type Problem, problemOf } from './problem';

/**
 * What became of a try that failed. Where it may have been done all the same, the page is read
 * again, to show whether it was.
 */
export function useProblem() {
  const queries = useQueryClient();
  const [problem, setProblem] = useState<Problem | null>(null);
  const fail = (error: unknown) => {
    const met = problemOf(error);
    setProblem(met);
    if (isOutcomeUnknown(met)) void queries.invalidateQueries();
  };
  return { problem, fail, clear: () => setProblem(null) };
}
