import type { Mode } from '../../contract/primitives';
import type { LockEvent } from '../lock/lock-event';

/** Spans are filed by how long they lasted: class `c` are those of 2^c ms up to twice as long. */
export const SPAN_CLASSES = 42;

const HOLD_ENDS = new Set<string>(['released', 'expired', 'forced', 'late']);
const WAIT_ENDS = new Set<string>(['granted', 'timeout', 'cancelled', 'dropped', 'moved']);

/**
 * What an event ended: a hold, a wait, or a freeze, since when; null if it ended nothing that
 * lasted. A `granted` ends a wait.
 */
export interface EventSpan {
  of: 'hold' | 'wait' | 'freeze';
  from: number;
  to: number;
}

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

/** The class under which the span that an event ended is found; -1: it ended none. */
export function spanClass(event: SpanFacts): number {
  const span = spanOf(event);
  return span ? Math.min(Math.floor(Math.log2(span.to - span.from)), SPAN_CLASSES - 1) : -1;
}

/** How long after an instant a span of this class can end at most if it covers it, exclusive. */
export const spanReachMs = (spanClass: number): number =>
  spanClass === SPAN_CLASSES - 1 ? Number.MAX_SAFE_INTEGER / 2 : 2 ** (spanClass + 1);

/** A hold as its end, or the present record, says. Instants are the backend's clock. */
export interface PastHold {
  from: number;
  /** Null: it still lasts. */
  to: number | null;
  service: string;
  owner: string;
  token: number;
  permits?: number;
}

/** A wait in the queue of one lock, in the same way. */
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
 * Leaves one wait of each request. A set of locks that moves to another queue takes its age along,
 * and so does a request that queues again after it lost its place: such waits begin at the same
 * instant, and of those that cover an instant the caller is in the queue that it leaves first.
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
