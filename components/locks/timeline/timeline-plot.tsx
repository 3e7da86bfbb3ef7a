'use client';

import { type CSSProperties, useLayoutEffect, useRef, useState } from 'react';
import type { ActMark, RefusalBar, WaitBar } from '@/server/contract/console/past/lock-timeline';
import { exactCount, shortToken } from '../../format/numbers';
import { visibleText } from '../../format/visible-name';
import { ExactName } from '../../ui/visible-text';
import { actLabel, holdTitle, refusalTitle, WAIT_END_LABELS, waitTitle } from './timeline-labels';
import { endOf, type HoldLine, type Segment, shareAt, type TimelineLanes } from './timeline-lanes';
import { clockLabel, timelineTicks } from './timeline-ticks';
import { useZoom, type ZoomSpan } from './use-zoom';

const TICK_PX = 110;
/** A letter of a flag or of a bar's label, on average. */
const LETTER_PX = 6.4;

const percent = (share: number) => `${(share * 100).toFixed(3)}%`;

const box = (left: number, width: number): CSSProperties => ({
  left: percent(left),
  width: percent(width),
});

/** Bars over time: holders in the first lane, a lane for each waiter, operators' acts as lines. */
export function TimelinePlot({
  lanes,
  acts,
  refused,
  span,
  now,
  onZoom,
}: {
  lanes: TimelineLanes;
  acts: readonly ActMark[];
  refused: readonly RefusalBar[];
  span: ZoomSpan;
  /** The present instant, on the lock's backend's clock. */
  now: number;
  onZoom: (zoom: ZoomSpan) => void;
}) {
  const { ref, widthPx } = useWidth();
  const { selection, handlers } = useZoom(span, onZoom);
  const ticks = timelineTicks(span.from, span.to, Math.max(2, widthPx / TICK_PX));
  const flags = placeFlags(acts, span, widthPx);
  const flagRows = Math.max(0, ...flags.map(({ row }) => row + 1));
  return (
    <div className="timeline" data-flags={flagRows > 0}>
      <div className="timeline-names">
        <span className="timeline-axis" />
        <span className="timeline-lane" style={{ height: holdersPx(lanes.rows) }}>
          {lanes.rows > 1 ? 'holders' : 'holder'}
        </span>
        {lanes.lanes.map(({ owner, service }) => (
          <span key={`${service}/${owner}`} className="timeline-lane">
            <ExactName name={owner} className="text-12" />
          </span>
        ))}
        {lanes.more > 0 && (
          <span className="timeline-lane text-t3" style={{ height: foldedPx(lanes.folded.length) }}>
            {exactCount(lanes.more)} more
          </span>
        )}
        {refused.length > 0 && <span className="timeline-lane">refused</span>}
      </div>
      <div className="timeline-plot" ref={ref} {...handlers}>
        {ticks.map(({ at, label }) => (
          <span key={at} className="timeline-tick" style={{ left: percent(shareAt(at, span)) }}>
            <span>{label}</span>
          </span>
        ))}
        <div className="timeline-axis" />
        <div
          className="timeline-lane"
          style={{ height: holdersPx(lanes.rows) }}
          data-lane="holders"
        >
          {lanes.holds.map((line) => (
            <HoldMark key={line.bar.token} line={line} now={now} widthPx={widthPx} />
          ))}
        </div>
        {lanes.lanes.map(({ owner, service, bars }) => (
          <div key={`${service}/${owner}`} className="timeline-lane" data-lane="waiter">
            {bars.map((bar) => (
              <WaitMark key={`${bar.from} ${bar.to}`} bar={bar} span={span} now={now} />
            ))}
          </div>
        ))}
        {lanes.more > 0 && (
          <div className="timeline-lane" style={{ height: foldedPx(lanes.folded.length) }}>
            {lanes.folded.map((bar, line) => (
              <FoldedMark
                key={`${bar.owner} ${bar.from}`}
                bar={bar}
                line={line}
                span={span}
                now={now}
              />
            ))}
          </div>
        )}
        {refused.length > 0 && (
          <div className="timeline-lane" data-lane="refused">
            {refused.map((bar) => (
              <RefusedMark key={bar.from} bar={bar} span={span} />
            ))}
          </div>
        )}
        <div style={{ height: flagRows * 20 }} />
        {flags.map(({ act, left, row, isLeftward }) => (
          <span
            key={`${act.at} ${act.kind}`}
            className="timeline-act"
            style={{ left: percent(left) }}
            title={`${clockLabel(act.at)}: ${actLabel(act)}${act.reason && ` – “${visibleText(act.reason)}”`}`}
          >
            <span
              className="timeline-flag"
              data-leftward={isLeftward}
              style={{ bottom: (flagRows - 1 - row) * 20 }}
            >
              {actLabel(act)}
            </span>
          </span>
        ))}
        {now >= span.from && now <= span.to && (
          <span className="timeline-now" style={{ left: percent(shareAt(now, span)) }} />
        )}
        {selection && (
          <span className="timeline-selection" style={box(selection.left, selection.width)} />
        )}
      </div>
    </div>
  );
}

const holdersPx = (rows: number) => Math.max(22, rows * 16 + 6);
const foldedPx = (lines: number) => Math.max(19, lines * 3 + 4);

function HoldMark({ line, now, widthPx }: { line: HoldLine; now: number; widthPx: number }) {
  const { bar, isLive, segments, row } = line;
  const last = segments.at(-1);
  return segments.map((segment) => {
    const labelPx = segment.width * widthPx - 12;
    return (
      <span
        key={segment.tone}
        className="timeline-hold"
        data-tone={segment.tone}
        data-many={bar.count > 1}
        data-end={segment === last && !isLive ? bar.end : undefined}
        title={holdTitle(bar, isLive, now)}
        style={{ ...box(segment.left, segment.width), top: 3 + row * 16 }}
      >
        {firstFitting(segmentLabels(line, segment), labelPx)}
      </span>
    );
  });
}

/** What a part of a bar says, the longest first. */
function segmentLabels({ bar, isLive }: HoldLine, { tone, from }: Segment): string[] {
  const owner = visibleText(bar.owner);
  if (tone === 'stuck') {
    const since = `stuck since ${clockLabel(from)}`;
    return [`${since}, ${owner} ${shortToken(bar.token)}`, since, 'stuck'];
  }
  if (tone === 'long') return ['past its p99'];
  return isLive && bar.count === 1 ? [`${owner} ${shortToken(bar.token)}`, owner] : [];
}

const firstFitting = (labels: string[], px: number) =>
  labels.find((label) => label.length * LETTER_PX <= px);

function WaitMark({ bar, span, now }: { bar: WaitBar; span: ZoomSpan; now: number }) {
  const left = shareAt(bar.from, span);
  const end = shareAt(endOf(bar, now), span);
  const isVain = bar.end !== null && bar.end !== 'granted';
  return (
    <>
      <span
        className="timeline-wait"
        data-open={bar.to === null}
        title={waitTitle(bar, now)}
        style={box(left, end - left)}
      />
      {isVain && end < 0.86 && (
        <span className="timeline-end" style={{ left: percent(end) }}>
          {bar.end && WAIT_END_LABELS[bar.end]}
        </span>
      )}
    </>
  );
}

function RefusedMark({ bar, span }: { bar: RefusalBar; span: ZoomSpan }) {
  const left = shareAt(bar.from, span);
  return (
    <span
      className="timeline-refused"
      title={refusalTitle(bar)}
      style={box(left, shareAt(bar.to, span) - left)}
    />
  );
}

function FoldedMark({
  bar,
  line,
  span,
  now,
}: {
  bar: WaitBar;
  line: number;
  span: ZoomSpan;
  now: number;
}) {
  const left = shareAt(bar.from, span);
  return (
    <span
      className="timeline-fine"
      title={waitTitle(bar, now)}
      data-open={bar.to === null}
      style={{ ...box(left, shareAt(endOf(bar, now), span) - left), top: 3 + line * 3 }}
    />
  );
}

interface Flag {
  act: ActMark;
  left: number;
  row: number;
  /** Whether it is left of its line, since right of it there is no room. */
  isLeftward: boolean;
}

/** Flags that would cover one another are on different rows. */
function placeFlags(acts: readonly ActMark[], span: ZoomSpan, widthPx: number): Flag[] {
  const ends: number[] = [];
  return acts.map((act) => {
    const left = shareAt(act.at, span);
    const flagPx = actLabel(act).length * LETTER_PX + 16;
    const isLeftward = left * widthPx + flagPx > widthPx;
    const begin = isLeftward ? left * widthPx - flagPx : left * widthPx;
    const free = ends.findIndex((end) => end <= begin);
    const row = free >= 0 ? free : ends.length;
    ends[row] = begin + flagPx;
    return { act, left, row, isLeftward };
  });
}

/** The plot's width, which decides how many labels fit. */
function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [widthPx, setWidthPx] = useState(800);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidthPx(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, widthPx };
}
