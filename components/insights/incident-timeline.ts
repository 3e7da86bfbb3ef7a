import type { IncidentDetail, IncidentRow } from '@/server/contract/console/past/incident';
import type { WaitBar } from '@/server/contract/console/past/lock-timeline';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { blockingAt } from '@/server/core/incidents/blocking-at';
import { HISTORY_MIN_COUNT } from '@/server/core/status/stuck-reason';
import { type TimelineLanes, timelineLanes } from '../locks/timeline/timeline-lanes';

/** From one instant to another, epoch milliseconds. */
export interface Span {
  from: number;
  to: number;
}

/** The lanes of an incident: all of it is past, so what has no end reaches to its right edge. */
export function incidentLanes(
  { incident, timeline }: IncidentDetail,
  span: Span = timeline,
): TimelineLanes {
  const { stuck, hold } = incident.facts;
  const p99Ms = incidentP99Ms(incident);
  const present = {
    row: {
      hold,
      stuck,
      ownHold: p99Ms === null ? null : { p50Ms: 0, p99Ms, count: HISTORY_MIN_COUNT },
    },
    holds: [],
    waiters: timeline.waits
      .filter(({ to }) => to === null)
      .map(({ from: enqueuedAt, service, owner }) => ({ enqueuedAt, service, owner })),
    policy: DEFAULT_POLICY,
  };
  return timelineLanes(timeline, present, { from: span.from, to: span.to, now: timeline.to });
}

/** The p99 that the hold was measured against; null: a limit of the namespace, or nothing. */
export function incidentP99Ms({ facts: { stuck } }: IncidentRow): number | null {
  return stuck && stuck.kind !== 'longWait' ? stuck.p99Ms : null;
}

export interface BlockingPoint {
  at: number;
  /** The ages of all waits at this instant, added up. */
  blockingMs: number;
}

/** The instants at both ends of a span and between its `steps` equal steps. */
export function instantsOf({ from, to }: Span, steps: number): number[] {
  return Array.from({ length: steps + 1 }, (_, i) => from + ((to - from) * i) / steps);
}

/**
 * Total blocking time over a span, in `steps` equal steps, and also where each wait ends: it peaks
 * just before that instant, and drops at it.
 */
export function blockingSeries(
  waits: readonly WaitBar[],
  span: Span,
  steps: number,
): BlockingPoint[] {
  const ends = waits.flatMap(({ to }) => (to === null ? [] : [to, to + 1]));
  const within = ends.filter((at) => at > span.from && at < span.to);
  const instants = [...new Set([...instantsOf(span, steps), ...within])].sort((a, b) => a - b);
  return instants.map((at) => ({ at, blockingMs: blockingAt(waits, at, span.to) }));
}
