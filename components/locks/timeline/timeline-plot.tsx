'use client';

import type { ActMark, RefusalBar, WaitBar } from '@/server/contract/console/past/lock-timeline';
import { visibleText } from '@/server/core/format/visible-text';
import { keyed } from '../../format/keyed';
import { ExactName } from '../../ui/visible-text';
import {
  box,
  FoldedMark,
  freeBehind,
  HoldMark,
  LETTER_PX,
  percent,
  RefusedMark,
  WaitMark,
} from './timeline-bars';
import { actLabel, undrawnLabel } from './timeline-labels';
import { shareAt, type TimelineLanes } from './timeline-lanes';
import { clockLabel, timelineTicks } from './timeline-ticks';
import { useWidth } from './use-width';
import { useZoom, type ZoomSpan } from './use-zoom';

const TICK_PX = 110;
/** Nearer to the end, half of a tick's label would be beyond the panel. */
const LATE_PX = 12;

const ignoreZoom = () => undefined;

interface PlotProps {
  lanes: TimelineLanes;
  acts: readonly ActMark[];
  refused: readonly RefusalBar[];
  span: ZoomSpan;
  /** The present instant, on the lock's backend's clock, to which running bars are drawn. */
  now: number;
  /** The same for their titles, where the plot advances in coarser steps. */
  titlesAt?: number;
  /** The path of the lock's page. */
  path: string;
  /** Absent: the component around it handles dragging. */
  onZoom?: (zoom: ZoomSpan) => void;
}

/** Bars over time: holders in the first lane, a lane for each waiter, operators' acts as lines. */
export function TimelinePlot({ onZoom, ...plot }: PlotProps) {
  const { lanes, acts, refused, span, now } = plot;
  const { ref, widthPx } = useWidth<HTMLDivElement>(800);
  const { selection, handlers } = useZoom(span, onZoom ?? ignoreZoom);
  const flags = placeFlags(acts, span, widthPx);
  const flagRows = Math.max(0, ...flags.map(({ row }) => row + 1));
  return (
    <div className="timeline" data-flags={flagRows > 0}>
      <LaneNames lanes={lanes} hasRefused={refused.length > 0} />
      <div className="timeline-plot" ref={ref} {...(onZoom && handlers)}>
        <Ticks span={span} widthPx={widthPx} />
        <div className="timeline-axis" />
        <Lanes {...plot} widthPx={widthPx} />
        <div style={{ height: flagRows * 20 }} />
        <Flags flags={flags} rows={flagRows} now={now} />
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

function LaneNames({ lanes, hasRefused }: { lanes: TimelineLanes; hasRefused: boolean }) {
  const moreLabel = undrawnLabel(lanes);
  return (
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
      {moreLabel !== '' && (
        <span className="timeline-lane text-t3" style={{ height: foldedPx(lanes.folded.length) }}>
          {moreLabel}
        </span>
      )}
      {hasRefused && <span className="timeline-lane">refused</span>}
    </div>
  );
}

function Ticks({ span, widthPx }: { span: ZoomSpan; widthPx: number }) {
  const ticks = timelineTicks(span.from, span.to, Math.max(2, widthPx / TICK_PX));
  return ticks.map(({ at, label }) => (
    <span
      key={at}
      className="timeline-tick"
      data-late={(1 - shareAt(at, span)) * widthPx < LATE_PX}
      style={{ left: percent(shareAt(at, span)) }}
    >
      <span>{label}</span>
    </span>
  ));
}

function Lanes({
  lanes,
  acts,
  refused,
  span,
  now,
  titlesAt = now,
  path,
  widthPx,
}: Omit<PlotProps, 'onZoom'> & { widthPx: number }) {
  return (
    <>
      <div className="timeline-lane" style={{ height: holdersPx(lanes.rows) }} data-lane="holders">
        {lanes.holds.map((line) => (
          <HoldMark
            key={line.bar.token}
            line={line}
            titleAt={titlesAt}
            widthPx={widthPx}
            path={path}
          />
        ))}
      </div>
      {lanes.lanes.map(({ owner, service, bars }) => (
        <div key={`${service}/${owner}`} className="timeline-lane" data-lane="waiter">
          {keyed(bars, ({ from, to }) => `${from} ${to}`).map(({ key, item: bar }) => (
            <WaitMark
              key={key}
              bar={bar}
              span={span}
              now={now}
              titleAt={titlesAt}
              path={path}
              roomPx={widthPx * freeBehind(bars, bar, acts, span, now)}
            />
          ))}
        </div>
      ))}
      {undrawnLabel(lanes) !== '' && (
        <div className="timeline-lane" style={{ height: foldedPx(lanes.folded.length) }}>
          {keyed(lanes.folded, foldedKey).map(({ key, item: bar }, line) => (
            <FoldedMark key={key} bar={bar} line={line} span={span} now={now} titleAt={titlesAt} />
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
    </>
  );
}

/** @param rows how many rows the flags are on */
function Flags({ flags, rows, now }: { flags: Flag[]; rows: number; now: number }) {
  return keyed(flags, flagKey).map(({ key, item: { act, left, row, isLeftward } }) => (
    <span
      key={key}
      className="timeline-act"
      data-kind={act.kind}
      style={{ left: percent(left) }}
      title={`${clockLabel(act.at, now)}: ${actLabel(act)}${quotedReason(act)}`}
    >
      <span
        className="timeline-flag"
        data-leftward={isLeftward}
        style={{ bottom: (rows - 1 - row) * 20 }}
      >
        {actLabel(act)}
      </span>
    </span>
  ));
}

/** The height of a plot beyond its lanes: its axis and its padding. */
const AROUND_PX = 40;
const LANE_PX = 19;
const FLAGS_PX = 20;
/** The height of the line below a plot that shows it as a table. */
const TABLE_PX = 37;

/** As high as a plot and its table, which are drawn once the reader's time zone is known. */
export function PlotSpace({
  lanes,
  acts,
  refused,
  morePx = 0,
}: Pick<PlotProps, 'lanes' | 'acts' | 'refused'> & {
  /** The height of what is above the plot. */
  morePx?: number;
}) {
  const lanesPx = holdersPx(lanes.rows) + (lanes.lanes.length + (refused[0] ? 1 : 0)) * LANE_PX;
  const undrawnPx = undrawnLabel(lanes) === '' ? 0 : foldedPx(lanes.folded.length);
  const height = AROUND_PX + lanesPx + undrawnPx + (acts[0] ? FLAGS_PX : 0) + TABLE_PX + morePx;
  return <div aria-hidden="true" style={{ height }} />;
}

const holdersPx = (rows: number) => Math.max(22, rows * 16 + 6);
const foldedPx = (lines: number) => Math.max(19, lines * 3 + 4);

interface Flag {
  act: ActMark;
  left: number;
  row: number;
  /** Whether the flag is left of its line, since there is no room on the right. */
  isLeftward: boolean;
}

const foldedKey = ({ service, owner, from }: WaitBar) => `${service} ${owner} ${from}`;
const quotedReason = ({ reason }: ActMark) => reason && ` – “${visibleText(reason)}”`;
const flagKey = ({ act }: Flag) => `${act.at} ${act.kind}`;

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
