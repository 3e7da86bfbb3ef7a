'use client';

import { useEffect, useState } from 'react';
import type InsightCharts from './drawing/lock-charts';

const TRY_AGAIN_MS = 3_000;

/**
 * The chart library: large, so it is loaded separately, and only where it is used. Null until it
 * has loaded. If the server is unreachable the page must survive: `isLost` is set, and loading is
 * retried.
 */
export function useCharts(): { Charts: typeof InsightCharts | null; isLost: boolean } {
  const [loaded, setLoaded] = useState<{ Charts: typeof InsightCharts } | null>(null);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let isOver = false;
    import('./drawing/lock-charts').then(
      ({ default: Charts }) => !isOver && setLoaded({ Charts }),
      () => {
        if (!isOver) timer = setTimeout(() => setTries(tries + 1), TRY_AGAIN_MS);
      },
    );
    return () => {
      isOver = true;
      if (timer !== null) clearTimeout(timer);
    };
  }, [tries]);
  return { Charts: loaded?.Charts ?? null, isLost: loaded === null && tries > 0 };
}
