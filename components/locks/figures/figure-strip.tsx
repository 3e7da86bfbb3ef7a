'use client';

import type { ReactNode } from 'react';
import type { FleetNow } from '@/server/contract/console/insight-row';
import type { LockPage } from '@/server/contract/console/lock-row';
import { ageText, durationText } from '../../format/durations';
import { countText, exactCount, rateText } from '../../format/numbers';
import { useAtBackend } from '../../live/reading';
import { Duration } from '../../ui/duration';
import type { ListQuery } from '../list/list-query';
import { type FigureLook, FigureTile } from './figure-tile';
import {
  expirySeries,
  grantSeries,
  HOUR_SPAN_MS,
  latestWait,
  rangeOf,
  type SeriesPoint,
  waitSeries,
} from './fleet-series';
import { type Sample, useFigureSamples } from './use-figure-samples';

/** The least and the most time that a line of what this tab has seen shows. */
const SPAN_MIN_MS = 60_000;
const SPAN_MAX_MS = 10 * 60_000;

/** The figures of now and of the last hour; a click shows the locks behind one. */
export function FigureStrip({
  page,
  receivedAt,
  fleet,
  isFleetLost,
  query,
  onQuery,
}: {
  page: LockPage;
  receivedAt: number | null;
  /** Null while it is not known. */
  fleet: FleetNow | null;
  /** The fleet was asked for again in vain. */
  isFleetLost: boolean;
  query: ListQuery;
  onQuery: (part: Partial<ListQuery>) => void;
}) {
  const samples = useFigureSamples(page, fleet, receivedAt);
  const { expired, stuck } = page.counts;
  const unknown = fleet?.counts.unknown ?? 0;
  const seriesOf = (key: string): SeriesPoint[] =>
    samples.flatMap(({ at, figures }) =>
      figures[key] === undefined ? [] : [{ at, value: figures[key] }],
    );
  const spanMs = spanOf(samples);
  const sortBy = (sort: ListQuery['sort']) => ({
    isSet: undefined,
    onPress: () => onQuery({ status: null, sort, descending: false }),
  });
  const show = (status: 'expired' | 'stuck' | 'unknown') => ({
    isSet: query.status === status,
    onPress: () => onQuery({ status: query.status === status ? null : status }),
  });
  return (
    <section aria-label="Lock metrics" className="figure-strip border-line border-b">
      <FigureTile
        look={look('held', 0)}
        title={heldTitle(unknown)}
        value={fleet && <Count of={fleet.held} />}
        below={unknown > 0 ? <Unknown count={unknown} /> : rangeLabel(seriesOf('held'))}
        series={seriesOf('held')}
        spanMs={spanMs}
        action={sortBy('held')}
      />
      <FigureTile
        look={look('waiting', page.waiting)}
        title="Waiting callers. Click to sort by waiters"
        value={<Count of={page.waiting} />}
        below={fleet && lastHourLabel(fleet.hour.timeouts, 'timed out')}
        series={seriesOf('waiting')}
        spanMs={spanMs}
        action={sortBy('waiters')}
      />
      <FigureTile
        look={look('expired', expired)}
        title="Filter: expired"
        value={<Count of={expired} />}
        below={fleet && lastHourLabel(fleet.hour.expiries, 'expired')}
        series={fleet ? expirySeries(fleet) : []}
        spanMs={HOUR_SPAN_MS}
        action={show('expired')}
      />
      <FigureTile
        look={look('stuck', stuck)}
        title="Filter: stuck"
        value={<Count of={stuck} />}
        below={rangeLabel(seriesOf('stuck'))}
        series={seriesOf('stuck')}
        spanMs={spanMs}
        action={show('stuck')}
      />
      <RateFigures fleet={fleet} isLost={isFleetLost} />
      {unknown > 0 && (
        <FigureTile
          look={look('unknown', unknown)}
          title="Filter: unknown (backend not responding, or record unreadable)"
          value={<Count of={unknown} />}
          below="not in other counts"
          series={[]}
          spanMs={spanMs}
          action={show('unknown')}
        />
      )}
    </section>
  );
}

const LOOKS = {
  held: { label: 'Held', icon: 'lock', tone: 'text-t2' },
  waiting: { label: 'Waiting', icon: 'queue', tone: 'text-contended' },
  expired: { label: 'Expired', icon: 'timer-off', tone: 'text-expired' },
  stuck: { label: 'Stuck', icon: 'alert-octagon', tone: 'text-dangertext' },
  unknown: { label: 'Unknown', icon: 'question', tone: 'text-unknown' },
} as const;

/** How a figure looks; a state has its colour only while there is something in it. */
function look(name: keyof typeof LOOKS, value: number): FigureLook {
  const { tone, ...rest } = LOOKS[name];
  return { name, ...rest, tone: value > 0 ? tone : 'text-t2' };
}

const heldTitle = (unknown: number) =>
  `Held locks${unknown > 0 ? `, without ${exactCount(unknown)} unknown` : ''}. Click to sort by hold time`;

function Unknown({ count }: { count: number }) {
  return <span className="text-unknown">+ {countText(count)} unknown</span>;
}

function Count({ of }: { of: number }) {
  return (
    <span className={of === 0 ? 'text-t3' : 'text-t1'} title={exactCount(of)}>
      {countText(of)}
    </span>
  );
}

const lastHourLabel = (count: number, what: string) => `${countText(count)} ${what} in last hour`;

function spanOf(samples: readonly Sample[]): number {
  const seenMs = (samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0);
  return Math.min(SPAN_MAX_MS, Math.max(SPAN_MIN_MS, seenMs));
}

/** Lowest and highest of what was seen, and over how long. */
function rangeLabel(course: readonly SeriesPoint[]): string {
  const range = rangeOf(course);
  const seenMs = (course.at(-1)?.at ?? 0) - (course[0]?.at ?? 0);
  if (!range || seenMs < 10_000) return 'collecting…';
  const [low, high] = range;
  const span =
    seenMs < 60_000
      ? `${Math.floor(seenMs / 10_000) * 10}\u00a0s`
      : `${Math.floor(seenMs / 60_000)}\u00a0min`;
  return low === high
    ? `no change in ${span}`
    : `${countText(low)}–${countText(high)} in last ${span}`;
}

/** Older than this, the figures say how old they are. */
const OLD_MS = 10_000;

/** How often locks are granted, and how long was waited for them: of now and of the last hour. */
function RateFigures({
  fleet,
  isLost,
}: {
  fleet: FleetNow | null;
  /** The server was asked again in vain; else it is being asked, as after a tab was hidden. */
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
