'use client';

import { useEffect, useState } from 'react';
import type InsightCharts from './insight-charts';

const TRY_AGAIN_MS = 3_000;

/**
 * What draws the charts: large, so it is loaded by itself, and only where it is used. Null until it
 * is there. A server that has gone meanwhile must not take the page with it: `isLost` then, and it
 * is tried again.
 */
export function useCharts(): { Charts: typeof InsightCharts | null; isLost: boolean } {
  const [loaded, setLoaded] = useState<{ Charts: typeof InsightCharts } | null>(null);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let isOver = false;
    import('./insight-charts').then(
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
