'use client';

import { type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { keyed } from '../../format/keyed';
import { box, percent } from '../../locks/timeline/timeline-bars';
import { shareAt } from '../../locks/timeline/timeline-lanes';
import { clockLabel } from '../../locks/timeline/timeline-ticks';
import { useZoom, type ZoomSpan } from '../../locks/timeline/use-zoom';

/** An instant that is marked in all plots. */
export interface PlotMark {
  at: number;
  label: string;
  kind: 'began' | 'ended' | 'act';
}

/** Steps of the arrow keys over the whole width. */
const KEY_STEPS = 200;

/**
 * From this share of the width on, the label of a mark is to its left: so it fits on either side,
 * also on a phone.
 */
const LEFTWARD_FROM = 0.6;

const plotIn = (plots: HTMLElement) => plots.querySelector<HTMLElement>('.linked-overlay');

/**
 * Plots one below another over the same span, with a shared cursor that follows the pointer and the
 * arrow keys; dragging over any of them zooms all.
 */
export function LinkedPlots({
  span,
  cursor,
  band,
  marks,
  description,
  onCursor,
  onZoom,
  children,
}: {
  span: ZoomSpan;
  /** The instant that is pointed at; null: none. */
  cursor: number | null;
  /** The shaded span. */
  band: ZoomSpan;
  marks: readonly PlotMark[];
  /** The values of the plots at the instant, for a screen reader. */
  description: string;
  onCursor: (at: number | null) => void;
  onZoom: (zoom: ZoomSpan) => void;
  children: ReactNode;
}) {
  const overlay = useRef<HTMLDivElement>(null);
  const [isByKey, setByKey] = useState(false);
  const { selection, handlers } = useZoom(span, onZoom, plotIn);
  const shown = marks.filter(({ at }) => at >= span.from && at <= span.to);
  const bandLeft = shareAt(band.from, span);
  const point = (event: PointerEvent<HTMLElement>) => {
    const plot = overlay.current?.getBoundingClientRect();
    if (!plot) return;
    const share = (event.clientX - plot.left) / plot.width;
    onCursor(share < 0 || share > 1 ? null : Math.round(span.from + share * (span.to - span.from)));
  };
  return (
    <figure
      className="linked-plots"
      aria-label="The incident over time"
      {...handlers}
      onPointerMove={(event) => {
        point(event);
        handlers.onPointerMove(event);
      }}
      onPointerLeave={() => !isByKey && onCursor(null)}
    >
      {children}
      <input
        type="range"
        className="linked-keys"
        aria-label="Instant in the charts"
        aria-valuetext={description}
        min={span.from}
        max={span.to}
        step={Math.max(1, Math.round((span.to - span.from) / KEY_STEPS))}
        value={cursor ?? span.to}
        onFocus={() => setByKey(true)}
        onBlur={() => {
          setByKey(false);
          onCursor(null);
        }}
        onChange={(event) => onCursor(Number(event.target.value))}
      />
      <div className="linked-overlay" ref={overlay} aria-hidden="true">
        <span className="linked-band" style={box(bandLeft, shareAt(band.to, span) - bandLeft)} />
        {keyed(shown, ({ kind, at }) => `${kind} ${at}`).map(({ key, item }) => (
          <span
            key={key}
            className="linked-mark"
            data-kind={item.kind}
            data-leftward={shareAt(item.at, span) > LEFTWARD_FROM}
            style={{ left: percent(shareAt(item.at, span)) }}
          >
            {item.kind !== 'act' && <span>{item.label}</span>}
          </span>
        ))}
        {cursor !== null && !selection && (
          <span
            className="linked-cursor"
            data-leftward={shareAt(cursor, span) > 0.8}
            style={{ left: percent(shareAt(cursor, span)) }}
          >
            <span>{clockLabel(cursor, span.to)}</span>
          </span>
        )}
        {selection && (
          <span className="linked-selection" style={box(selection.left, selection.width)} />
        )}
      </div>
    </figure>
  );
}
