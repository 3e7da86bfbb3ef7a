'use client';

import type { ReactNode } from 'react';
import type { FleetNow } from '@/server/contract/console/insight-row';
import type { LockPage } from '@/server/contract/console/lock-row';
import { durationText, wholeSeconds } from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';
import { MINUTE_MS } from '@/server/core/time-units';
import { ageText } from '../../format/durations';
import { countText, rateText } from '../../format/numbers';
import { displayedBlockingMs, useAtBackend } from '../../live/reading';
import { Duration } from '../../ui/duration';
import type { ListQuery } from '../list/list-query';
import { FigureCount } from './figure-count';
import { FigureTile, lookOf } from './figure-tile';
import {
  expirySeries,
  grantSeries,
  latestWait,
  refusalSeries,
  type SeriesPoint,
  sampleRange,
  sampleSeries,
  waitSeries,
} from './fleet-series';

/** The figures of now and of the last hour; a click shows the locks behind one. */
export function FigureStrip({
  page,
  fleet,
  isFleetLost,
  query,
  onQuery,
}: {
  page: LockPage;
  /** Null while it is not known. */
  fleet: FleetNow | null;
  /** The last request for the fleet's figures failed. */
  isFleetLost: boolean;
  query: ListQuery;
  onQuery: (part: Partial<ListQuery>) => void;
}) {
  const { expired, stuck } = page.counts;
  const unknown = fleet?.counts.unknown ?? 0;
  const held = fleet ? sampleSeries(fleet, 'held', fleet.held) : [];
  const waits = fleet ? sampleSeries(fleet, 'waiting', page.waiting) : [];
  const stucks = fleet ? sampleSeries(fleet, 'stuck', stuck) : [];
  const blockings = fleet ? sampleSeries(fleet, 'blockingMs', fleet.blockingMs) : [];
  const refusals = fleet ? refusalSeries(fleet) : [];
  const refused = refusals.at(-1)?.value ?? 0;
  const sortBy = (sort: ListQuery['sort']) => ({
    isSet: undefined,
    onPress: () => onQuery({ view: 'all', status: null, sort, descending: false }),
  });
  const show = (status: 'expired' | 'stuck' | 'unknown') => ({
    isSet: query.status === status,
    onPress: () => onQuery({ status: query.status === status ? null : status }),
  });
  return (
    <section
      aria-label="Lock metrics"
      data-unknown={unknown > 0}
      className="figure-strip border-line border-b"
    >
      <FigureTile
        look={look('stuck', stuck)}
        title="Filter: stuck"
        value={<FigureCount of={stuck} />}
        below={fleet && <Range of={sampleRange(fleet, 'stuck', stuck)} course={stucks} />}
        series={stucks}
        action={show('stuck')}
      />
      <FigureTile
        look={look('blocking', fleet?.blockingMs ?? 0)}
        title={
          'Total blocking time: the sum of the ages of all waits, and of refused callers that ' +
          'keep trying. Standbys of leaders are not counted'
        }
        value={fleet && <BlockingTime fleet={fleet} />}
        below={fleet && <BlockingPeak fleet={fleet} course={blockings} />}
        series={blockings}
        action={sortBy('waiters')}
      />
      <FigureTile
        look={look('waiting', page.waiting)}
        title="Waiting callers. Click to sort by waiters"
        value={<FigureCount of={page.waiting} />}
        below={
          unknown > 0
            ? 'partly as last known'
            : fleet && <InHour what={`${countText(fleet.hour.timeouts)} timed out`} />
        }
        series={waits}
        action={sortBy('waiters')}
      />
      <FigureTile
        look={look('refused', refused)}
        title="Attempts that were refused, in the last full minute"
        value={
          fleet && (
            <>
              <FigureCount of={refused} />
              <span className="unit pl-1">/min</span>
            </>
          )
        }
        below={fleet && <InHour what={countText(fleet.hour.refused)} />}
        series={refusals}
      />
      <FigureTile
        look={look('held', 0)}
        title={heldTitle(unknown)}
        value={fleet && <FigureCount of={fleet.held} />}
        below={
          unknown > 0 ? (
            <Unknown count={unknown} />
          ) : (
            fleet && <Range of={sampleRange(fleet, 'held', fleet.held)} course={held} />
          )
        }
        series={held}
        action={sortBy('held')}
      />
      <FigureTile
        look={look('expired', expired)}
        title="Filter: expired"
        value={<FigureCount of={expired} />}
        below={fleet && <InHour what={`${countText(fleet.hour.expiries)} expired`} />}
        series={fleet ? expirySeries(fleet) : []}
        action={show('expired')}
      />
      <FigureTile
        look={look('unknown', unknown)}
        title="Filter: unknown (backend not responding, or record unreadable)"
        value={fleet && <FigureCount of={unknown} />}
        below={null}
        action={show('unknown')}
      />
      <RateFigures fleet={fleet} isLost={isFleetLost} />
    </section>
  );
}

const LOOKS = {
  held: { label: 'Held', icon: 'lock', tone: 'text-t2' },
  waiting: { label: 'Waiting', icon: 'queue', tone: 'text-contended' },
  expired: { label: 'Expired', icon: 'timer-off', tone: 'text-expired' },
  blocking: { label: 'Blocking', icon: 'timer', tone: 'text-contended' },
  refused: { label: 'Refused', icon: 'ban', tone: 'text-contended' },
  stuck: { label: 'Stuck', icon: 'alert-octagon', tone: 'text-dangertext' },
  unknown: { label: 'Unknown', icon: 'question', tone: 'text-unknown' },
} as const;

const look = (name: keyof typeof LOOKS, value: number) => lookOf(LOOKS, name, value);

const heldTitle = (unknown: number) =>
  `Held locks${unknown > 0 ? `, without ${exactCount(unknown)} unknown` : ''}. ` +
  'Click to sort by hold time';

function Unknown({ count }: { count: number }) {
  return <span className="text-unknown">+ {countText(count)} unknown</span>;
}

/** Between two readings it grows by a second per second for each blocked caller. */
const useFleetBlockingMs = ({ blocked, blockingMs, asOf }: FleetNow): number =>
  useAtBackend('', (now) => displayedBlockingMs(blockingMs, blocked, Math.max(0, now - asOf)));

function BlockingTime({ fleet }: { fleet: FleetNow }) {
  const ms = useFleetBlockingMs(fleet);
  return ms === 0 ? <span className="text-t3">0</span> : <Duration ms={ms} />;
}

/** The highest reading of the last hour; never less than the present value. */
function BlockingPeak({ fleet, course }: { fleet: FleetNow; course: readonly SeriesPoint[] }) {
  const nowMs = useFleetBlockingMs(fleet);
  if (spanOf(course) < MINUTE_MS) return 'collecting…';
  const peakMs = Math.max(nowMs, ...course.map(({ value }) => value));
  return <InHour what={`up to ${durationText(peakMs)}`} />;
}

/** A longer text leaves less room for its span of time. */
const LONG_CHARS = 12;

/** A figure of the last hour; a narrow tile abbreviates the words. */
function InHour({ what }: { what: string }) {
  return (
    <span className="figure-hour" data-long={what.length > LONG_CHARS}>
      {what} <span>in last hour</span>
      <span>in 1&nbsp;h</span>
    </span>
  );
}

const spanOf = (course: readonly SeriesPoint[]) => (course.at(-1)?.at ?? 0) - (course[0]?.at ?? 0);

/** The lowest and the highest reading, and over how long. */
function Range({
  of: [low, high],
  course,
}: {
  of: readonly [low: number, high: number];
  course: readonly SeriesPoint[];
}) {
  const seenMs = spanOf(course);
  if (seenMs < MINUTE_MS) return 'collecting…';
  const label = low === high ? 'no change' : `${countText(low)}–${countText(high)}`;
  const minutes = Math.round(seenMs / MINUTE_MS);
  return minutes >= 59 ? <InHour what={label} /> : `${label} in last ${minutes}\u00a0min`;
}

/** Older than this, the figures say how old they are. */
const OLD_MS = 10_000;

/** How often locks are granted, and how long callers wait for them: now, and in the last hour. */
function RateFigures({
  fleet,
  isLost,
}: {
  fleet: FleetNow | null;
  /** The last request failed. If false, old figures are being refreshed, as after a hidden tab. */
  isLost: boolean;
}) {
  const readAt = fleet?.hourAt ?? null;
  const ageMs = useAtBackend('', (now) => {
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
