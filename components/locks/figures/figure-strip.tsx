'use client';

import type { FleetNow } from '@/server/contract/console/insight-row';
import type { LockPage } from '@/server/contract/console/lock-row';
import { durationText } from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';
import { MINUTE_MS } from '@/server/core/time-units';
import { countText } from '../../format/numbers';
import { displayedBlockingMs, useAtBackend } from '../../live/reading';
import { Duration } from '../../ui/duration';
import type { ListQuery } from '../list/list-query';
import { FigureCount } from './figure-count';
import { InHour, Range } from './figure-notes';
import { type FigureAction, FigureTile, lookOf } from './figure-tile';
import {
  expirySeries,
  refusalSeries,
  type SeriesPoint,
  sampleRange,
  sampleSeries,
  spanMsOf,
} from './fleet-series';
import { RateFigures } from './rate-figures';

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
  const { waiting, counts } = page;
  const unknown = fleet?.counts.unknown ?? 0;
  const sortBy = (sort: ListQuery['sort']): FigureAction => ({
    isSet: undefined,
    onPress: () => onQuery({ view: 'all', status: null, sort, descending: false }),
  });
  const show = (status: 'expired' | 'stuck' | 'unknown'): FigureAction => ({
    isSet: query.status === status,
    onPress: () => onQuery({ status: query.status === status ? null : status }),
  });
  const byWaiters = sortBy('waiters');
  return (
    <section
      aria-label="Lock metrics"
      data-unknown={unknown > 0}
      className="figure-strip border-line border-b"
    >
      <StuckFigure fleet={fleet} stuck={counts.stuck} action={show('stuck')} />
      <BlockingFigure fleet={fleet} action={byWaiters} />
      <WaitingFigure fleet={fleet} waiting={waiting} unknown={unknown} action={byWaiters} />
      <RefusedFigure fleet={fleet} />
      <HeldFigure fleet={fleet} unknown={unknown} action={sortBy('held')} />
      <ExpiredFigure fleet={fleet} expired={counts.expired} action={show('expired')} />
      <UnknownFigure unknown={fleet && unknown} action={show('unknown')} />
      <RateFigures fleet={fleet} isLost={isFleetLost} />
    </section>
  );
}

interface FigureProps {
  /** Null while it is not known. */
  fleet: FleetNow | null;
  action: FigureAction;
}

function StuckFigure({ fleet, stuck, action }: FigureProps & { stuck: number }) {
  const course = fleet ? sampleSeries(fleet, 'stuck', stuck) : [];
  return (
    <FigureTile
      look={look('stuck', stuck)}
      title="Filter: stuck"
      value={<FigureCount of={stuck} />}
      below={fleet && <Range of={sampleRange(fleet, 'stuck', stuck)} course={course} />}
      series={course}
      action={action}
    />
  );
}

function BlockingFigure({ fleet, action }: FigureProps) {
  const course = fleet ? sampleSeries(fleet, 'blockingMs', fleet.blockingMs) : [];
  return (
    <FigureTile
      look={look('blocking', fleet?.blockingMs ?? 0)}
      title={
        'Total blocking time: the sum of the ages of all waits, and of refused callers that ' +
        'keep trying. Standbys of leaders are not counted'
      }
      value={fleet && <BlockingTime fleet={fleet} />}
      below={fleet && <BlockingPeak fleet={fleet} course={course} />}
      series={course}
      action={action}
    />
  );
}

function WaitingFigure({
  fleet,
  waiting,
  unknown,
  action,
}: FigureProps & { waiting: number; unknown: number }) {
  const timeouts = fleet && <InHour what={`${countText(fleet.hour.timeouts)} timed out`} />;
  return (
    <FigureTile
      look={look('waiting', waiting)}
      title="Waiting callers. Click to sort by waiters"
      value={<FigureCount of={waiting} />}
      below={unknown > 0 ? 'partly as last known' : timeouts}
      series={fleet ? sampleSeries(fleet, 'waiting', waiting) : []}
      action={action}
    />
  );
}

function RefusedFigure({ fleet }: Pick<FigureProps, 'fleet'>) {
  const course = fleet ? refusalSeries(fleet) : [];
  const refused = course.at(-1)?.value ?? 0;
  return (
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
      series={course}
    />
  );
}

function HeldFigure({ fleet, unknown, action }: FigureProps & { unknown: number }) {
  const course = fleet ? sampleSeries(fleet, 'held', fleet.held) : [];
  const range = fleet && <Range of={sampleRange(fleet, 'held', fleet.held)} course={course} />;
  return (
    <FigureTile
      look={look('held', 0)}
      title={
        `Held locks${unknown > 0 ? `, without ${exactCount(unknown)} unknown` : ''}. ` +
        'Click to sort by hold time'
      }
      value={fleet && <FigureCount of={fleet.held} />}
      below={
        unknown > 0 ? <span className="text-unknown">+ {countText(unknown)} unknown</span> : range
      }
      series={course}
      action={action}
    />
  );
}

function ExpiredFigure({ fleet, expired, action }: FigureProps & { expired: number }) {
  return (
    <FigureTile
      look={look('expired', expired)}
      title="Filter: expired"
      value={<FigureCount of={expired} />}
      below={fleet && <InHour what={`${countText(fleet.hour.expiries)} expired`} />}
      series={fleet ? expirySeries(fleet) : []}
      action={action}
    />
  );
}

/** @param unknown null while it is not known */
function UnknownFigure({ unknown, action }: { unknown: number | null; action: FigureAction }) {
  return (
    <FigureTile
      look={look('unknown', unknown ?? 0)}
      title="Filter: unknown (backend not responding or rejecting requests, or record unreadable)"
      value={unknown === null ? null : <FigureCount of={unknown} />}
      below={null}
      action={action}
    />
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

/** Between two readings it grows by a second per second for each blocked caller. */
const useFleetBlockingMs = ({ blocked, blockingMs, asOf }: FleetNow): number =>
  useAtBackend(null, (now) => displayedBlockingMs(blockingMs, blocked, Math.max(0, now - asOf)));

function BlockingTime({ fleet }: { fleet: FleetNow }) {
  const ms = useFleetBlockingMs(fleet);
  return ms === 0 ? <span className="text-t3">0</span> : <Duration ms={ms} />;
}

/** The highest reading of the last hour; never less than the present value. */
function BlockingPeak({ fleet, course }: { fleet: FleetNow; course: readonly SeriesPoint[] }) {
  const nowMs = useFleetBlockingMs(fleet);
  if (spanMsOf(course) < MINUTE_MS) return 'collecting…';
  const peakMs = Math.max(nowMs, ...course.map(({ value }) => value));
  return <InHour what={`up to ${durationText(peakMs)}`} />;
}
