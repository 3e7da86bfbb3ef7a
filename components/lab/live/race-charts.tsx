'use client';

import { useEffect, useState } from 'react';
import type { LabRow } from '@/server/contract/console/lab/lab-race';
import type { LabSample } from '@/server/contract/console/lab/lab-run';
import { exactCount } from '@/server/core/format/numbers';
import type LiveCharts from './live-charts';

export interface RaceChartsProps {
  /** The newest last. */
  samples: LabSample[];
  stock: number;
  /** How long the strategy may run, or has run. */
  longestMs: number;
  /** What came of it; null while it runs. */
  result: Pick<LabRow, 'sold' | 'opsPerSecond'> | null;
}

/** The charts of a strategy: units sold against the stock, and operations a second. */
export function RaceCharts(props: RaceChartsProps) {
  const Charts = useCharts();
  const { samples, stock, result } = props;
  const last = result ?? samples.at(-1);
  return (
    <figure>
      <figcaption className="sr-only">
        {last
          ? `${exactCount(last.sold)} of ${exactCount(stock)} sold, ${exactCount(Math.round(last.opsPerSecond))} operations a second.`
          : 'Nothing sold yet.'}
      </figcaption>
      <div className="lab-charts">{Charts ? <Charts {...props} /> : null}</div>
    </figure>
  );
}

const RETRY_MS = 3_000;

/** The chart library is large: it is loaded only where a race is shown. Null until then. */
function useCharts(): typeof LiveCharts | null {
  const [loaded, setLoaded] = useState<{ Charts: typeof LiveCharts } | null>(null);
  const [attempts, setAttempts] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let isUnmounted = false;
    import('./live-charts').then(
      ({ default: Charts }) => !isUnmounted && setLoaded({ Charts }),
      () => {
        if (!isUnmounted) timer = setTimeout(() => setAttempts(attempts + 1), RETRY_MS);
      },
    );
    return () => {
      isUnmounted = true;
      if (timer !== null) clearTimeout(timer);
    };
  }, [attempts]);
  return loaded?.Charts ?? null;
}
