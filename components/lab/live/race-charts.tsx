'use client';

import type { LabRow } from '@/server/contract/console/lab/lab-race';
import type { LabSample } from '@/server/contract/console/lab/lab-run';
import { exactCount } from '@/server/core/format/numbers';
import { useLoaded } from '../../navigation/use-loaded';

export interface RaceChartsProps {
  /** The newest last. */
  samples: LabSample[];
  stock: number;
  /** How long the strategy may run, or has run. */
  longestMs: number;
  /** The final result; null while it runs. */
  result: Pick<LabRow, 'sold' | 'opsPerSecond'> | null;
}

/** The chart library is large: it is loaded only where a race is shown. */
const loadCharts = () => import('./live-charts').then((all) => all.default);

/** The charts of a strategy: units sold against the stock, and operations per second. */
export function RaceCharts(props: RaceChartsProps) {
  const { part: Charts } = useLoaded(loadCharts, true);
  const { samples, stock, result } = props;
  const last = result ?? samples.at(-1);
  return (
    <figure>
      <figcaption className="sr-only">
        {last
          ? `${exactCount(last.sold)} of ${exactCount(stock)} sold, ` +
            `${exactCount(Math.round(last.opsPerSecond))} operations per second.`
          : 'Nothing sold yet.'}
      </figcaption>
      <div className="lab-charts">{Charts ? <Charts {...props} /> : null}</div>
    </figure>
  );
}
