'use client';

import type { ReactNode } from 'react';
import type { FleetNow } from '@/server/contract/console/insight-row';
import { durationText, wholeSeconds } from '@/server/core/format/durations';
import { ageText } from '../../format/durations';
import { countText, rateText } from '../../format/numbers';
import { useAtBackend } from '../../live/reading';
import { Duration } from '../../ui/duration';
import { InHour } from './figure-notes';
import { FigureTile } from './figure-tile';
import { grantSeries, latestWait, waitSeries } from './fleet-series';

/** Older than this, the figures say how old they are. */
const OLD_MS = 10_000;

/** How often locks are granted, and how long callers wait for them: now, and in the last hour. */
export function RateFigures({
  fleet,
  isLost,
}: {
  fleet: FleetNow | null;
  /** The last request failed. If false, old figures are being refreshed, as after a hidden tab. */
  isLost: boolean;
}) {
  const readAt = fleet?.hourAt ?? null;
  const ageMs = useAtBackend(null, (now) => {
    const ms = fleet === null || readAt === null ? 0 : (isLost ? now : fleet.asOf) - readAt;
    return ms > OLD_MS ? wholeSeconds(ms) : 0;
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
        below={below(fleet && <InHour what={countText(fleet.hour.grants)} />)}
        series={grants}
      />
      <WaitFigure fleet={fleet} below={below} />
    </>
  );
}

function WaitFigure({
  fleet,
  below,
}: {
  fleet: FleetNow | null;
  below: (words: ReactNode) => ReactNode;
}) {
  const latest = fleet && (latestWait(fleet)?.waitP99Ms ?? null);
  const hour = fleet?.hour.waitP99Ms ?? null;
  return (
    <FigureTile
      look={{ name: 'wait-p99', label: 'Wait p99', icon: 'timer', tone: 'text-t2' }}
      title="p99 wait of the latest minute with grants; “–”: no grants in 5 min"
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
          (hour === null ? (
            <InHour what="no grants" />
          ) : (
            `last hour: ${durationText(Math.round(hour))}`
          )),
      )}
      series={fleet ? waitSeries(fleet, 'waitP99Ms') : []}
    />
  );
}
