'use client';

import type { FleetNow } from '@/server/contract/console/insight-row';
import type { LockPage } from '@/server/contract/console/lock-row';
import { countText, exactCount } from '../../format/counts';
import type { ListQuery } from '../list/list-query';
import { type FigureLook, FigureTile } from './figure-tile';
import { expirySeries, HOUR_SPAN_MS, rangeOf, type SeriesPoint } from './fleet-series';
import { RateFigures } from './rate-figures';
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
        look={HELD}
        title={heldTitle(unknown)}
        value={fleet && <Count of={fleet.held} />}
        below={unknown > 0 ? <Unknown count={unknown} /> : rangeLabel(seriesOf('held'))}
        series={seriesOf('held')}
        spanMs={spanMs}
        action={sortBy('held')}
      />
      <FigureTile
        look={withTone(WAITING, page.waiting)}
        title="Waiting callers. Click to sort by waiters"
        value={<Count of={page.waiting} />}
        below={fleet && lastHourLabel(fleet.hour.timeouts, 'timed out')}
        series={seriesOf('waiting')}
        spanMs={spanMs}
        action={sortBy('waiters')}
      />
      <FigureTile
        look={withTone(EXPIRED, expired)}
        title="Filter: expired"
        value={<Count of={expired} />}
        below={fleet && lastHourLabel(fleet.hour.expiries, 'expired')}
        series={fleet ? expirySeries(fleet) : []}
        spanMs={HOUR_SPAN_MS}
        action={show('expired')}
      />
      <FigureTile
        look={withTone(STUCK, stuck)}
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
          look={UNKNOWN}
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

const HELD: FigureLook = { name: 'held', label: 'Held', icon: 'lock', tone: 'text-t2' };
const WAITING: FigureLook = {
  name: 'waiting',
  label: 'Waiting',
  icon: 'queue',
  tone: 'text-contended',
};
const EXPIRED: FigureLook = {
  name: 'expired',
  label: 'Expired',
  icon: 'timer-off',
  tone: 'text-expired',
};
const STUCK: FigureLook = {
  name: 'stuck',
  label: 'Stuck',
  icon: 'alert-octagon',
  tone: 'text-dangertext',
};

const UNKNOWN: FigureLook = {
  name: 'unknown',
  label: 'Unknown',
  icon: 'question',
  tone: 'text-unknown',
};

const heldTitle = (unknown: number) =>
  `Held locks${unknown > 0 ? `, without ${exactCount(unknown)} unknown` : ''}. Click to sort by hold time`;

function Unknown({ count }: { count: number }) {
  return <span className="text-unknown">+ {countText(count)} unknown</span>;
}

/** A state has its colour only while there is something in it. */
const withTone = (look: FigureLook, value: number): FigureLook =>
  value > 0 ? look : { ...look, tone: 'text-t2' };

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
