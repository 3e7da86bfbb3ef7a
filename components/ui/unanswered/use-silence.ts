'use client';

import { useEffect, useState } from 'react';

/** The server answers an action within 5 s. */
const SILENT_AFTER_MS = 6_000;

/**
 * Since when there has been no answer, by this page's monotonic clock; null until that is 6 s ago,
 * and while none is awaited.
 *
 * @param progress changes with each answer
 */
export function useSilence(isWaiting: boolean, progress: unknown): number | null {
  const [since, setSince] = useState<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer restarts it
  useEffect(() => {
    setSince(null);
    if (!isWaiting) return;
    const from = performance.now();
    const timer = setTimeout(() => setSince(from), SILENT_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isWaiting, progress]);
  return isWaiting ? since : null;
}
