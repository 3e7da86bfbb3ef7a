import type { HoldBaseline } from '@/server/contract/console/insight-row';
import type { HoldBar, LockTimeline, WaitBar } from '@/server/contract/console/past/lock-timeline';
import type { NamespacePolicy } from '@/server/contract/namespace-policy';
import { partyKey } from '@/server/core/party';
import { holdLimitMs } from '@/server/core/status/stuck-reason';

/** Waiters with a lane of their own. */
const LANES_MAX = 6;

/** Waiters that are drawn as fine lines below them. */
const FOLDED_MAX = 12;

/** The further waiters of a longer queue are only counted: they came later. */
const DRAWN_MAX = LANES_MAX + FOLDED_MAX;

/** A part of a bar, as shares of the plot's width from its left edge. */
export interface Segment {
  left: number;
  width: number;
  /** `long`: beyond the lock's own p99. `stuck`: beyond its limit while there were waiters. */
  tone: 'held' | 'long' | 'stuck';
  /** When it begins, which can be before the plot. */
  from: number;
}

export interface HoldLine {
  bar: HoldBar;
  /** Whether the lock is held by it now. */
  isLive: boolean;
  segments: Segment[];
  /** Its line in the holders' lane: overlapping holds are on different ones. */
  row: number;
}

export interface WaiterLine {
  owner: string;
  service: string;
  bars: WaitBar[];
}

export interface TimelineLanes {
  holds: HoldLine[];
  /** How many lines the holders' lane has. */
  rows: number;
  lanes: WaiterLine[];
  folded: WaitBar[];
  /** How many waiters have no lane of their own. */
  more: number;
  /** How many more past waits there were, of any waiters. */
  moreWaits: number;
}

/** What is known of the lock apart from its recorded past, such as a `LockDetail`. */
export interface TimelinePresent {
  row: {
    hold: { token: number } | null;
    /** Since when that hold is stuck, or was. */
    stuck: { since: number } | null;
    ownHold: HoldBaseline | null;
  };
  /** The current holds. */
  holds: { token: number; grantedAt: number; service: string; owner: string }[];
  waiters: { enqueuedAt: number; service: string; owner: string }[];
  policy: Pick<NamespacePolicy, 'patienceMaxMs' | 'stuckAfterMs' | 'standbyExpected'>;
}

/** Lines of the holders' lane; further concurrent holds overlap on the last one. */
const ROWS_MAX = 4;

interface Span {
  from: number;
  to: number;
  now: number;
}

/**
 * What a timeline draws: the recorded past, in which the holds and waiters of the present reading
 * replace what is recorded of them.
 *
 * @param timeline null before it has come: then only the present is drawn
 */
export function timelineLanes(
  timeline: Pick<LockTimeline, 'holds' | 'waits' | 'moreWaits'> | null,
  present: TimelinePresent,
  span: Span,
): TimelineLanes {
  const isOfSpan = (bar: WaitBar) => isIn(bar, span);
  const live = sortedBy(liveWaits(present).filter(isOfSpan), ({ from }) => from);
  const waiting = new Set(live.map(waitKey));
  const past = pastWaits(timeline).filter((bar) => isOfSpan(bar) && !waiting.has(waitKey(bar)));
  const waits = [...past, ...live.slice(0, DRAWN_MAX)];
  const tokens = new Set(present.holds.map(({ token }) => token));
  const holds = [
    ...(timeline?.holds ?? []).filter(({ token }) => !tokens.has(token)),
    ...liveHolds(present),
  ].filter((bar) => isIn(bar, span));
  const rows = new Rows();
  const lines = holds
    .sort((a, b) => a.from - b.from)
    .map((bar): HoldLine => {
      const isLive = tokens.has(bar.token);
      const segments = segmentsOf(bar, stuckAt(bar, isLive, waits, present), present.row, span);
      return { bar, isLive, segments, row: rows.place(bar, span.now) };
    });
  const parties = waitersOf(waits);
  const { lanes, others } = chooseLanes([...parties.values()]);
  const undrawn = live.slice(DRAWN_MAX).filter((bar) => !parties.has(partyKey(bar)));
  return {
    holds: lines,
    rows: Math.max(1, rows.count),
    lanes,
    folded: others.flatMap(({ bars }) => bars).slice(0, FOLDED_MAX),
    more: others.length + undrawn.length,
    moreWaits: timeline?.moreWaits ?? 0,
  };
}

/** Where an instant is, as a share of the plot's width, 0 to 1. */
export function shareAt(at: number, { from, to }: Pick<Span, 'from' | 'to'>): number {
  return Math.min(1, Math.max(0, (at - from) / (to - from)));
}

/** A bar without an end reaches to now. */
export const endOf = (bar: { to: number | null }, now: number) => bar.to ?? now;

const isIn = (bar: { from: number; to: number | null }, { from, to, now }: Span) =>
  bar.from < to && endOf(bar, now) >= from;

/** Equal for a wait of the present reading and for what is recorded of it. */
const waitKey = (bar: WaitBar) => `${partyKey(bar)}\n${bar.from}`;

/** Waits whose end is not recorded are in the present reading, or have just ended. */
const pastWaits = (timeline: Pick<LockTimeline, 'waits'> | null): WaitBar[] =>
  (timeline?.waits ?? []).filter(({ to }) => to !== null);

const liveWaits = ({ waiters }: TimelinePresent): WaitBar[] =>
  waiters.map(({ enqueuedAt: from, service, owner }) => {
    return { from, to: null, service, owner, end: null };
  });

const liveHolds = ({ holds }: TimelinePresent): HoldBar[] =>
  holds.map(({ grantedAt: from, service, owner, token }) => {
    return { from, to: null, service, owner, token, end: null, count: 1 };
  });

/**
 * Since when a hold was stuck; null if it never was, as far as is known here. If it became stuck
 * again after its waiters had gone, the first time counts.
 */
function stuckAt(
  bar: HoldBar,
  isLive: boolean,
  waits: WaitBar[],
  { row, policy }: TimelinePresent,
): number | null {
  const known = row.hold?.token === bar.token ? (row.stuck?.since ?? null) : null;
  if (isLive && known === null) return null;
  const to = known ?? bar.to;
  if (bar.count > 1 || to === null) return known;
  const beyondAt = bar.from + holdLimitMs({ ownHold: row.ownHold, gaveUp: null, policy });
  const since = waits
    .filter((wait) => wait.from < to && (wait.to ?? to) > beyondAt)
    .map((wait) => Math.max(beyondAt, wait.from));
  const first = Math.min(...since);
  return first < to ? first : known;
}

/** A bar, cut where it passes the lock's p99 and where it becomes stuck. */
function segmentsOf(
  bar: HoldBar,
  stuck: number | null,
  { ownHold }: { ownHold: HoldBaseline | null },
  span: Span,
): Segment[] {
  const end = endOf(bar, span.now);
  const longAt = ownHold && bar.count === 1 ? bar.from + ownHold.p99Ms : end;
  const cuts: [from: number, to: number, tone: Segment['tone']][] = [
    [bar.from, Math.min(longAt, stuck ?? end), 'held'],
    [longAt, stuck ?? end, 'long'],
    [stuck ?? end, end, 'stuck'],
  ];
  return cuts
    .filter(([from, to]) => from < to && to > span.from && from < span.to)
    .map(([from, to, tone]) => {
      const left = shareAt(from, span);
      return { left, width: shareAt(to, span) - left, tone, from };
    });
}

/** Places overlapping holds on different lines. */
class Rows {
  private readonly ends: number[] = [];

  get count(): number {
    return this.ends.length;
  }

  place(bar: HoldBar, now: number): number {
    const free = this.ends.findIndex((end) => end <= bar.from);
    const row = free >= 0 ? free : Math.min(this.ends.length, ROWS_MAX - 1);
    this.ends[row] = Math.max(this.ends[row] ?? 0, endOf(bar, now));
    return row;
  }
}

/** Waiters by service and owner. */
function waitersOf(waits: WaitBar[]): Map<string, WaiterLine> {
  const byParty = new Map<string, WaiterLine>();
  for (const bar of waits) {
    const party = partyKey(bar);
    const lane = byParty.get(party);
    if (lane) lane.bars.push(bar);
    else byParty.set(party, { owner: bar.owner, service: bar.service, bars: [bar] });
  }
  return byParty;
}

/** Orders lanes: present waiters first, then those who waited longest. */
function chooseLanes(waiters: WaiterLine[]): { lanes: WaiterLine[]; others: WaiterLine[] } {
  const ranked = sortedBy(waiters, (line) => -weight(line));
  const firstAt = ({ bars }: WaiterLine) => Math.min(...bars.map(({ from }) => from));
  const lanes = sortedBy(ranked.slice(0, LANES_MAX), firstAt);
  const others = sortedBy(ranked.slice(LANES_MAX), firstAt);
  return { lanes, others };
}

/** Sorted by key, the smallest first; the key of each item is computed once. */
function sortedBy<T>(all: T[], keyOf: (one: T) => number): T[] {
  const keyed = all.map((one) => ({ one, key: keyOf(one) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ one }) => one);
}

function weight({ bars }: WaiterLine): number {
  const open = bars.find(({ to }) => to === null);
  if (open) return Number.MAX_SAFE_INTEGER - open.from;
  return Math.max(...bars.map(({ from, to }) => (to ?? from) - from));
}
