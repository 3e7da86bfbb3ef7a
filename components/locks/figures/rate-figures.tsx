'use client';

import type { ReactNode } from 'react';
import type { FleetNow } from '@/server/contract/console/insight-row';
import { countText } from '../../format/counts';
import { ageText, durationText } from '../../format/durations';
import { rateText } from '../../format/rates';
import { useAtBackend } from '../../live/reading';
import { Duration } from '../../ui/duration';
import { FigureTile } from './figure-tile';
import { grantSeries, HOUR_SPAN_MS, latestWait, waitSeries } from './fleet-series';

/** Older than this, the figures say how old they are. */
const OLD_MS = 10_000;

/** How often locks are granted, and how long was waited for them: of now and of the last hour. */
export function RateFigures({
  fleet,
  isLost,
}: {
  fleet: FleetNow | null;
  /**
   * The server was asked again and did not tell; else it is being asked, as after a tab was hidden.
   */
  isLost: boolean;
}) {
  const readAt = fleet?.hourAt ?? null;
  const ageMs = useAtBackend('', (now) => {
    const ms = fleet === null || readAt === null ? 0 : (isLost ? now : fleet.asOf) - readAt;
    return ms > OLD_MS ? Math.floor(ms / 1_000) * 1_000 : 0;
  });
  const grants = fleet ? grantSeries(fleet) : [];
  const below = (words: ReactNode) => (ageMs > 0 ? `updated ${ageText(ageMs)} ago` : words);
  return (
    <>
      <FigureTile
        look={{ name: 'grants', label: 'Grants', icon: 'rate', tone: 'text-t2' }}
        title="Grants per second over the last minute"
        value={
          fleet && (
            <span className={fleet.grantsPerSecond === 0 ? 'text-t3' : ''}>
              {rateText(fleet.grantsPerSecond)}
              <span className="unit pl-1">/s</span>
            </span>
          )
        }
        below={below(fleet && `${countText(fleet.hour.grants)} in last hour`)}
        series={grants}
        spanMs={HOUR_SPAN_MS}
      />
      <WaitFigure fleet={fleet} of="p50" below={below} />
      <WaitFigure fleet={fleet} of="p99" below={below} />
    </>
  );
}

const WAITS = { p50: 'waitP50Ms', p99: 'waitP99Ms' } as const;

function WaitFigure({
  fleet,
  of,
  below,
}: {
  fleet: FleetNow | null;
  of: 'p50' | 'p99';
  below: (words: ReactNode) => ReactNode;
}) {
  const key = WAITS[of];
  const latest = fleet && (latestWait(fleet)?.[key] ?? null);
  const hour = fleet?.hour[key] ?? null;
  return (
    <FigureTile
      look={{ name: `wait-${of}`, label: `Wait ${of}`, icon: 'timer', tone: 'text-t2' }}
      title={`${of} wait of the latest minute with grants; “–”: no grants in 5 min`}
      value={
        fleet &&
        (latest === null ? (
          <span className="text-t3">–</span>
        ) : (
          <Duration ms={Math.round(latest)} />
        ))
      }
      below={below(
        fleet &&
          (hour === null
            ? 'no grants in last hour'
            : `1\u00a0h ${of}: ${durationText(Math.round(hour))}`),
      )}
      series={fleet ? waitSeries(fleet, key) : []}
      spanMs={HOUR_SPAN_MS}
    />
  );
}
