import { WAIT_ENDS } from '../../contract/console/past/lock-timeline';
import type { Mode } from '../../contract/primitives';
import { HOLD_ENDS, type LockEvent } from '../lock/lock-event';
import { partyKey } from '../party';

/** Spans are indexed by duration: class `c` is from 2^c ms to less than 2^(c+1) ms. */
export const SPAN_CLASSES = 42;

const WAIT_END_KINDS: ReadonlySet<string> = new Set(WAIT_ENDS);

/**
 * The hold, wait or freeze that an event ended, and when it began and ended, in milliseconds of the
 * backend's clock. A `granted` event ends a wait.
 */
export interface EventSpan {
  of: 'hold' | 'wait' | 'freeze';
  from: number;
  to: number;
}

/** The span that an event ended; null if it ended none, or one of 0 ms. */
export function spanOf(event: SpanFacts): EventSpan | null {
  const { kind, at, heldMs = 0, waitedMs = 0 } = event;
  const of = HOLD_ENDS.has(kind)
    ? 'hold'
    : WAIT_END_KINDS.has(kind)
      ? 'wait'
      : kind === 'unfrozen'
        ? 'freeze'
        : null;
  const ms = of === 'wait' ? waitedMs : heldMs;
  return of && ms > 0 ? { of, from: at - ms, to: at } : null;
}

type SpanFacts = { kind: string } & Pick<LockEvent, 'at' | 'heldMs' | 'waitedMs'>;

/** The class of the span that an event ended; -1 if it ended none. */
export function spanClass(event: SpanFacts): number {
  const span = spanOf(event);
  return span ? Math.min(Math.floor(Math.log2(span.to - span.from)), SPAN_CLASSES - 1) : -1;
}

/** How long after an instant a span of this class that covers it ends at most, in milliseconds. */
export const spanReachMs = (spanClass: number): number =>
  spanClass === SPAN_CLASSES - 1 ? Number.MAX_SAFE_INTEGER / 2 : 2 ** (spanClass + 1);

/** A past hold, known from the event of its end or from the present record. */
export interface PastHold {
  /** Instants are the backend's clock. */
  from: number;
  /** Null: not yet ended. */
  to: number | null;
  service: string;
  owner: string;
  token: number;
  permits?: number;
}

/** A past wait in the queue of one lock, known from the same sources. */
export interface PastWait {
  from: number;
  to: number | null;
  service: string;
  owner: string;
  mode?: Mode;
  permits?: number;
  /** Its timeout, if known. */
  patienceMs?: number;
  /** The kind of the event that ended it; null: not yet ended. */
  end: string | null;
}

/** A wait and its lock, by a key that is unique over all backends. */
type Located<W> = { lock: string; wait: W };

/**
 * Keeps one wait of each request, the one that ended first. A multi-lock that moves to another
 * queue keeps its age, and so does a request that queues again after it lost its place: all waits
 * of such a request begin at the same instant. At any instant that several of them cover, the
 * caller is in the queue that it leaves first.
 */
export function withoutMoved<W extends PastWait>(waits: readonly Located<W>[]): Located<W>[] {
  const endOf = ({ wait }: Located<W>) => wait.to ?? Number.POSITIVE_INFINITY;
  const byEnd = [...waits].sort((a, b) => endOf(a) - endOf(b));
  const moved = new Set<string>();
  const requeued = new Set<string>();
  return byEnd.filter(({ lock, wait }) => {
    const request = `${partyKey(wait)}\n${wait.from}`;
    const place = `${lock}\n${request}`;
    if (moved.has(request) || requeued.has(place)) return false;
    if (wait.end === 'moved') moved.add(request);
    if (wait.end === 'dropped') requeued.add(place);
    return true;
  });
}
