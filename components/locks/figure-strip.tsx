'use client';

import type { LockPage } from '@/server/domain/lock-row';
import { countText, exactCount } from '../format/counts';
import { spokenDuration } from '../format/durations';
import { Icon } from '../icons/icon';
import type { IconName } from '../icons/icon-shapes';
import type { ListQuery } from './list-query';
import { figuresOf, type Sample, useSeenFigures } from './seen-range';
import { Sparkline } from './sparkline';

interface Figure {
  key: string;
  word: string;
  icon: IconName;
  /** Its colour while the figure is above zero; grey where normal. */
  ink: string;
  phone: boolean;
}

const FIGURES: Figure[] = [
  { key: 'held', word: 'Held', icon: 'lock', ink: '', phone: true },
  { key: 'waiting', word: 'Waiting', icon: 'queue', ink: 'text-contended', phone: true },
  { key: 'contended', word: 'Contended', icon: 'users', ink: 'text-contended', phone: false },
  { key: 'expiring', word: 'Expiring', icon: 'hourglass', ink: 'text-expiring', phone: true },
  { key: 'expired', word: 'Expired', icon: 'timer-off', ink: 'text-expired', phone: true },
  { key: 'frozen', word: 'Frozen', icon: 'snowflake', ink: 'text-frozen', phone: false },
  { key: 'delayed', word: 'Delayed', icon: 'clock', ink: 'text-delayed', phone: false },
  { key: 'unknown', word: 'Unknown', icon: 'question', ink: 'text-unknown', phone: false },
  { key: 'free', word: 'Free', icon: 'lock-open', ink: '', phone: false },
];

/** Shown only where there are any. */
const RARE = new Set(['unknown', 'frozen', 'delayed']);

/** The least and the most time that a line shows. */
const SPAN_MIN_MS = 60_000;
const SPAN_MAX_MS = 10 * 60_000;

/** The figures of now, each with what this tab has seen of it; a click filters the list. */
export function FigureStrip({
  page,
  receivedAt,
  query,
  onQuery,
}: {
  page: LockPage;
  receivedAt: number | null;
  query: ListQuery;
  onQuery: (part: Partial<ListQuery>) => void;
}) {
  const samples = useSeenFigures(page, receivedAt);
  const values = figuresOf(page);
  const shown = FIGURES.filter(({ key }) => !RARE.has(key) || (values[key] ?? 0) > 0);

  const press = (key: string) => {
    if (key === 'waiting') return onQuery({ status: null, sort: 'waiters', descending: false });
    const status = key as ListQuery['status'];
    onQuery({ status: query.status === status ? null : status });
  };
  return (
    <div className="figure-strip border-line border-b">
      {shown.map((figure) => (
        <FigureTile
          key={figure.key}
          figure={figure}
          value={values[figure.key] ?? 0}
          samples={samples}
          isSet={query.status === figure.key}
          onPress={() => press(figure.key)}
        />
      ))}
    </div>
  );
}

function FigureTile({
  figure: { key, word, icon, ink, phone },
  value,
  samples,
  isSet,
  onPress,
}: {
  figure: Figure;
  value: number;
  samples: readonly Sample[];
  isSet: boolean;
  onPress: () => void;
}) {
  const points = samples.map(({ at, figures }) => ({ at, value: figures[key] ?? 0 }));
  const seenMs = (points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0);
  const spanMs = Math.min(SPAN_MAX_MS, Math.max(SPAN_MIN_MS, seenMs));
  const tone = value > 0 && ink ? ink : 'text-t2';
  const hint = key === 'waiting' ? 'Sort by waiters' : `Show what is ${word.toLowerCase()}`;
  return (
    <button
      type="button"
      onClick={onPress}
      aria-pressed={key === 'waiting' ? undefined : isSet}
      title={hint}
      className={`figure ${phone ? '' : 'max-md:hidden'} ${isSet ? 'bg-s2' : ''}`}
    >
      <span className="min-w-0">
        <span className={`flex items-center gap-1.5 text-12 ${tone}`}>
          <Icon name={icon} size={15} className="max-md:hidden" />
          {word}
        </span>
        <span
          className={`block text-23 font-[600] ${value === 0 ? 'text-t3' : 'text-t1'}`}
          title={exactCount(value)}
        >
          {countText(value)}
        </span>
        <span className="block truncate text-11 text-t3 max-md:hidden">{rangeWords(points)}</span>
      </span>
      <Sparkline points={points} spanMs={spanMs} className={`figure-line ${tone}`} />
    </button>
  );
}

/** Lowest and highest of what was seen, and over how long. */
function rangeWords(points: readonly { at: number; value: number }[]): string {
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last || last.at - first.at < 10_000) return 'since now';
  const values = points.map(({ value }) => value);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const span = spokenDuration(Math.floor((last.at - first.at) / 10_000) * 10_000);
  return low === high
    ? `last ${span} steady`
    : `last ${span} ${countText(low)} – ${countText(high)}`;
}
