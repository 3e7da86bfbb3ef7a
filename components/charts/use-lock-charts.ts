'use client';

import { useEffect, useState } from 'react';
import type LockCharts from './drawing/lock-charts';

const RETRY_MS = 3_000;

/**
 * The chart library: large, so it is loaded separately, and only where it is used. Null until it
 * has loaded. If the server is unreachable the page must survive: `isLost` is set, and loading is
 * retried.
 */
export function useLockCharts(): { Charts: typeof LockCharts | null; isLost: boolean } {
  const [loaded, setLoaded] = useState<{ Charts: typeof LockCharts } | null>(null);
  const [attempts, setTries] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let isUnmounted = false;
    import('./drawing/lock-charts').then(
      ({ default: Charts }) => !isUnmounted && setLoaded({ Charts }),
      () => {
        if (!isUnmounted) timer = setTimeout(() => setTries(attempts + 1), RETRY_MS);
      },
    );
    return () => {
      isUnmounted = true;
      if (timer !== null) clearTimeout(timer);
    };
  }, [attempts]);
  return { Charts: loaded?.Charts ?? null, isLost: loaded === null && attempts > 0 };
}
