'use client';

import type { ReactNode } from 'react';
import { HOUR_MS } from '@/server/core/time-units';
import { Icon, type IconName } from '../../icons/icon';
import type { SeriesPoint } from './fleet-series';

export interface FigureLook {
  /** Tells the style sheet where the tile goes, and whether a phone has room for it. */
  name: string;
  label: string;
  icon: IconName;
  /** The colour of its word and line; grey where nothing needs attention. */
  tone: string;
}

/** What a click on a figure does. */
export interface FigureAction {
  /** Whether the list shows this already; undefined: it only sorts the list. */
  isSet: boolean | undefined;
  onPress: () => void;
}

/** How a figure looks: it is coloured only while its value is above 0. */
export function lookOf<Name extends string>(
  looks: Record<Name, Omit<FigureLook, 'name'>>,
  name: Name,
  value: number,
): FigureLook {
  const look = looks[name];
  return { ...look, name, tone: value > 0 ? look.tone : 'text-t2' };
}

/** One figure of the strip: its current value, a remark on the last hour, and its trend. */
export function FigureTile({
  look: { name, label, icon, tone },
  title,
  value,
  below,
  series = [],
  action,
}: {
  look: FigureLook;
  title: string;
  /** Null while it is not known. */
  value: ReactNode;
  below: ReactNode;
  /** The trend of the last hour; empty where none is shown. */
  series?: readonly SeriesPoint[];
  /** Absent where there is nothing to show. */
  action?: FigureAction;
}) {
  const inside = (
    <>
      <span className="figure-main">
        <span className={`flex items-center gap-1.5 text-12 whitespace-nowrap ${tone}`}>
          <Icon name={icon} size={15} className="max-md:hidden" />
          {label}
        </span>
        <span className="figure-value">
          {value ?? <span aria-hidden="true" className="bone my-1.5 block h-4 w-12" />}
        </span>
      </span>
      <Sparkline points={series} className={`figure-line ${tone}`} />
      <span className="figure-below">{below}</span>
    </>
  );
  if (!action) {
    return (
      <div className="figure" data-figure={name} title={title}>
        {inside}
      </div>
    );
  }
  return (
    <button
      type="button"
      onClick={action.onPress}
      aria-pressed={action.isSet}
      title={title}
      data-figure={name}
      className={`figure ${action.isSet ? 'bg-s2' : ''}`}
    >
      {inside}
    </button>
  );
}

const WIDTH = 76;
const HEIGHT = 24;
const EDGE = 3;
/** A line shorter than this share of the width is not drawn: it shows no trend yet. */
const SHORT_SHARE = 0.08;

/** A figure over the last hour, right-aligned at the present: decoration beside the figure. */
function Sparkline({ points, className }: { points: readonly SeriesPoint[]; className: string }) {
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last || (last.at - first.at) / HOUR_MS <= SHORT_SHARE) return null;
  const top = Math.max(1, ...points.map(({ value }) => value)) * 1.1;
  const x = (at: number) => (WIDTH - EDGE) * (1 - (last.at - at) / HOUR_MS);
  const y = (value: number) => HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * (value / top);
  const steps = points.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
  const from = x(first.at).toFixed(1);
  return (
    <svg
      aria-hidden="true"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className={className}
    >
      <path
        d={`M${from},${HEIGHT} L${steps.join(' L')} L${x(last.at)},${HEIGHT} Z`}
        fill="currentColor"
        opacity="0.13"
      />
      <polyline
        points={steps.join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinejoin="round"
      />
      <circle cx={x(last.at)} cy={y(last.value)} r="2.4" fill="currentColor" />
    </svg>
  );
}
