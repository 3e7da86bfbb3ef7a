import type { Mode } from '../../contract/primitives';
import type { LockEvent } from '../lock/lock-event';

/** Spans are filed by how long they lasted: class `c` are those of 2^c ms up to twice as long. */
export const SPAN_CLASSES = 42;

const HOLD_ENDS = new Set<string>(['released', 'expired', 'forced', 'late']);
const WAIT_ENDS = new Set<string>(['granted', 'timeout', 'cancelled', 'dropped', 'moved']);

/**
 * The hold, the wait or the freeze that an event ended, and when that began and ended. A `granted`
 * ends a wait.
 */
export interface EventSpan {
  of: 'hold' | 'wait' | 'freeze';
  from: number;
  to: number;
}

/** What an event ended; null if it ended nothing, or something that did not last. */
export function spanOf(event: SpanFacts): EventSpan | null {
  const { kind, at, heldMs = 0, waitedMs = 0 } = event;
  const of = HOLD_ENDS.has(kind)
    ? 'hold'
    : WAIT_ENDS.has(kind)
      ? 'wait'
      : kind === 'unfrozen'
        ? 'freeze'
        : null;
  const ms = of === 'wait' ? waitedMs : heldMs;
  return of && ms > 0 ? { of, from: at - ms, to: at } : null;
}

type SpanFacts = { kind: string } & Pick<LockEvent, 'at' | 'heldMs' | 'waitedMs'>;

/** The class of the span that an event ended; -1: it ended none. */
export function spanClass(event: SpanFacts): number {
  const span = spanOf(event);
  return span ? Math.min(Math.floor(Math.log2(span.to - span.from)), SPAN_CLASSES - 1) : -1;
}

/** A span of this class that covers an instant ends less than this long after it, in ms. */
export const spanReachMs = (spanClass: number): number =>
  spanClass === SPAN_CLASSES - 1 ? Number.MAX_SAFE_INTEGER / 2 : 2 ** (spanClass + 1);

/** A past hold, known from its end or from the present record. Instants: the backend's clock. */
export interface PastHold {
  from: number;
  /** Null: it still lasts. */
  to: number | null;
  service: string;
  owner: string;
  token: number;
  permits?: number;
}

/** A past wait in the queue of one lock, known in the same way. */
export interface PastWait {
  from: number;
  to: number | null;
  service: string;
  owner: string;
  mode?: Mode;
  permits?: number;
  /** Its timeout, where it is known. */
  patienceMs?: number;
  /** The event that ended it. */
  end: string | null;
}

/** Unique over all locks of all backends. */
type Located<W> = { lock: string; wait: W };

/**
 * Keeps one wait of each request, the one that ended first. A multi-lock that moves to another
 * queue keeps its age, and so does a request that queues again after it lost its place. So their
 * waits begin at the same instant, and at any instant the caller is in the queue that it leaves
 * first.
 */
export function withoutMoved<W extends PastWait>(waits: readonly Located<W>[]): Located<W>[] {
  const endOf = ({ wait }: Located<W>) => wait.to ?? Number.POSITIVE_INFINITY;
  const byEnd = [...waits].sort((a, b) => endOf(a) - endOf(b));
  const moved = new Set<string>();
  const requeued = new Set<string>();
  return byEnd.filter(({ lock, wait }) => {
    const request = `${wait.service}\n${wait.owner}\n${wait.from}`;
    const place = `${lock}\n${request}`;
    if (moved.has(request) || requeued.has(place)) return false;
    if (wait.end === 'moved') moved.add(request);
    if (wait.end === 'dropped') requeued.add(place);
    return true;
  });
}
