'use client';

import Link from 'next/link';
import type { CSSProperties, ReactNode } from 'react';
import type { ActMark, RefusalBar, WaitBar } from '@/server/contract/console/past/lock-timeline';
import { visibleText } from '@/server/core/format/visible-text';
import { shortToken } from '../../format/numbers';
import { pastHref } from '../../past/past-address';
import { holdTitle, refusalTitle, WAIT_END_LABELS, waitTitle } from './timeline-labels';
import { endOf, type HoldLine, type Segment, shareAt } from './timeline-lanes';
import { clockLabel } from './timeline-ticks';
import type { ZoomSpan } from './use-zoom';

/** The average width of a letter of a flag or of a bar's label. */
export const LETTER_PX = 6.4;

export const percent = (share: number) => `${(share * 100).toFixed(3)}%`;

export const box = (left: number, width: number): CSSProperties => ({
  left: percent(left),
  width: percent(width),
});

/**
 * A bar that links to the lock as of the bar's beginning. Tab skips it: there can be hundreds, and
 * the table below the plot has the same links.
 */
function BarLink({
  path,
  at,
  ...rest
}: {
  /** The path of the lock's page. */
  path: string;
  at: number;
  className: string;
  title: string;
  style: CSSProperties;
  children?: ReactNode;
}) {
  return (
    <Link
      href={pastHref(path, at)}
      prefetch={false}
      tabIndex={-1}
      aria-hidden="true"
      draggable={false}
      {...rest}
    />
  );
}

export function HoldMark({
  line,
  titleAt,
  widthPx,
  path,
}: {
  line: HoldLine;
  titleAt: number;
  widthPx: number;
  path: string;
}) {
  const { bar, isLive, segments, row } = line;
  const last = segments.at(-1);
  return segments.map((segment) => {
    const labelPx = segment.width * widthPx - 12;
    return (
      <BarLink
        key={segment.tone}
        className="timeline-hold"
        path={path}
        at={Math.max(segment.from, bar.from)}
        data-tone={segment.tone}
        data-many={bar.count > 1}
        data-end={segment === last && !isLive ? bar.end : undefined}
        title={holdTitle(bar, isLive, titleAt)}
        style={{ ...box(segment.left, segment.width), top: 3 + row * 16 }}
      >
        {firstFitting(segmentLabels(line, segment, titleAt), labelPx)}
      </BarLink>
    );
  });
}

/** The possible labels of a part of a bar, the longest first. */
function segmentLabels({ bar, isLive }: HoldLine, { tone, from }: Segment, now: number): string[] {
  const owner = visibleText(bar.owner);
  if (tone === 'stuck') {
    const since = `stuck since ${clockLabel(from, now)}`;
    return [`${since}, ${owner} ${shortToken(bar.token)}`, since, 'stuck'];
  }
  if (tone === 'long') return ['past p99'];
  return isLive && bar.count === 1 ? [`${owner} ${shortToken(bar.token)}`, owner] : [];
}

const firstFitting = (labels: string[], px: number) =>
  labels.find((label) => label.length * LETTER_PX <= px);

/** The space behind a bar up to the next bar or operator's line, as a share of the plot's width. */
export function freeBehind(
  bars: readonly WaitBar[],
  bar: WaitBar,
  acts: readonly ActMark[],
  span: ZoomSpan,
  now: number,
): number {
  const end = endOf(bar, now);
  const next = bars
    .filter((other) => other !== bar && endOf(other, now) > end)
    .map(({ from }) => shareAt(Math.max(from, end), span));
  const lines = acts.filter(({ at }) => at >= end).map(({ at }) => shareAt(at, span));
  return Math.min(1, ...next, ...lines) - shareAt(end, span);
}

export function WaitMark({
  bar,
  span,
  now,
  titleAt,
  path,
  roomPx,
}: {
  bar: WaitBar;
  span: ZoomSpan;
  now: number;
  titleAt: number;
  path: string;
  /** The room behind the bar for a label. */
  roomPx: number;
}) {
  const left = shareAt(bar.from, span);
  const end = shareAt(endOf(bar, now), span);
  const isVain = bar.end !== null && bar.end !== 'granted';
  const label = isVain && bar.end ? WAIT_END_LABELS[bar.end] : '';
  return (
    <>
      <BarLink
        className="timeline-wait"
        path={path}
        at={bar.from}
        data-open={bar.to === null}
        title={waitTitle(bar, titleAt)}
        style={box(left, end - left)}
      />
      {label !== '' && label.length * LETTER_PX + 14 <= roomPx && (
        <span className="timeline-end" style={{ left: percent(end) }}>
          {label}
        </span>
      )}
    </>
  );
}

export function RefusedMark({ bar, span }: { bar: RefusalBar; span: ZoomSpan }) {
  const left = shareAt(bar.from, span);
  return (
    <span
      className="timeline-refused"
      title={refusalTitle(bar)}
      style={box(left, shareAt(bar.to, span) - left)}
    />
  );
}

export function FoldedMark({
  bar,
  line,
  span,
  now,
  titleAt,
}: {
  bar: WaitBar;
  line: number;
  span: ZoomSpan;
  now: number;
  titleAt: number;
}) {
  const left = shareAt(bar.from, span);
  return (
    <span
      className="timeline-fine"
      title={waitTitle(bar, titleAt)}
      data-open={bar.to === null}
      style={{ ...box(left, shareAt(endOf(bar, now), span) - left), top: 3 + line * 3 }}
    />
  );
}
