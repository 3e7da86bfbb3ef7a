'use client';

import type { ReactNode } from 'react';
import { Icon } from '../../icons/icon';
import type { IconName } from '../../icons/icon-shapes';
import type { SeriesPoint } from './fleet-series';
import { Sparkline } from './sparkline';

export interface FigureLook {
  /** Tells the style sheet where the tile goes, and whether a phone has room for it. */
  name: string;
  label: string;
  icon: IconName;
  /** The colour of its word and line; grey where nothing needs a look. */
  tone: string;
}

/** One figure of the strip: now, what the last hour says of it, and its trend. */
export function FigureTile({
  look: { name, label, icon, tone },
  title,
  value,
  below,
  series,
  spanMs,
  action,
}: {
  look: FigureLook;
  title: string;
  /** Null while it is not known. */
  value: ReactNode;
  below: ReactNode;
  series: readonly SeriesPoint[];
  spanMs: number;
  /** What a click does; absent where there is nothing to show. */
  action?: { isSet: boolean | undefined; onPress: () => void };
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
      <Sparkline points={series} spanMs={spanMs} className={`figure-line ${tone}`} />
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
