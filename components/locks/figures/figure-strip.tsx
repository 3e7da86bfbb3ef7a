'use client';

import type { FleetNow } from '@/server/contract/console/insight-row';
import type { LockPage } from '@/server/contract/console/lock-row';
import { countText, exactCount } from '../../format/counts';
import { spokenDuration } from '../../format/durations';
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
    <section aria-label="Now and in the last hour" className="figure-strip border-line border-b">
      <FigureTile
        look={HELD}
        title={heldTitle(unknown)}
        value={fleet && <Count of={fleet.held} />}
        below={unknown > 0 ? <Unknown count={unknown} /> : rangeLabel(seriesOf('held'))}
        course={seriesOf('held')}
        spanMs={spanMs}
        press={sortBy('held')}
      />
      <FigureTile
        look={withTone(WAITING, page.waiting)}
        title="Callers in a queue. Sort by waiters"
        value={<Count of={page.waiting} />}
        below={fleet && lastHourLabel(fleet.hour.timeouts, 'gave up')}
        course={seriesOf('waiting')}
        spanMs={spanMs}
        press={sortBy('waiters')}
      />
      <FigureTile
        look={withTone(EXPIRED, expired)}
        title="Show what is expired"
        value={<Count of={expired} />}
        below={fleet && lastHourLabel(fleet.hour.expiries, 'lapsed')}
        course={fleet ? expirySeries(fleet) : []}
        spanMs={HOUR_SPAN_MS}
        press={show('expired')}
      />
      <FigureTile
        look={withTone(STUCK, stuck)}
        title="Show what is stuck"
        value={<Count of={stuck} />}
        below={rangeLabel(seriesOf('stuck'))}
        course={seriesOf('stuck')}
        spanMs={spanMs}
        press={show('stuck')}
      />
      <RateFigures fleet={fleet} isLost={isFleetLost} />
      {unknown > 0 && (
        <FigureTile
          look={UNKNOWN}
          title="Locks whose state is not known: their backend does not respond, or their record cannot be read. Show them"
          value={<Count of={unknown} />}
          below="counted nowhere else"
          course={[]}
          spanMs={spanMs}
          press={show('unknown')}
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
  `Locks that are held. Sort by how long${unknown > 0 ? `. Of ${exactCount(unknown)} more it is not known` : ''}`;

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

const lastHourLabel = (count: number, what: string) => `last hour ${countText(count)} ${what}`;

function spanOf(samples: readonly Sample[]): number {
  const seenMs = (samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0);
  return Math.min(SPAN_MAX_MS, Math.max(SPAN_MIN_MS, seenMs));
}

/** Lowest and highest of what was seen, and over how long. */
function rangeLabel(course: readonly SeriesPoint[]): string {
  const range = rangeOf(course);
  const seenMs = (course.at(-1)?.at ?? 0) - (course[0]?.at ?? 0);
  if (!range || seenMs < 10_000) return 'since now';
  const [low, high] = range;
  const span = spokenDuration(Math.floor(seenMs / 10_000) * 10_000);
  return low === high
    ? `last ${span} steady`
    : `last ${span} ${countText(low)} – ${countText(high)}`;
}
