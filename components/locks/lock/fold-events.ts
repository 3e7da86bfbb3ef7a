import type { EventRow } from '@/server/contract/console/lock-row';

/** One line of the list: an event, or a run of routine events that happened one after another. */
export type EventLine =
  | { kind: 'one'; id: string; event: EventRow }
  | { kind: 'run'; id: string; of: 'renewals' | 'calls'; events: EventRow[] };

/** Renewals, and waiters whose requests end and come again: events that rarely matter. */
const ROUTINE: Record<string, 'renewals' | 'calls'> = {
  renewed: 'renewals',
  detached: 'calls',
  resumed: 'calls',
};

/** Up to this many routine events are shown separately. */
const LOOSE_MAX = 2;

/**
 * Folds routine: between two events that matter, all renewals become one line, and so do all
 * arrivals and departures of waiters. Newest first, as given; a run is placed at its newest event,
 * and identified by its oldest, so that it stays the same line while it grows.
 */
export function foldEvents(events: readonly EventRow[]): EventLine[] {
  const lines: EventLine[] = [];
  let run: EventRow[] = [];
  const close = () => {
    lines.push(...foldRun(run));
    run = [];
  };
  for (const event of events) {
    if (ROUTINE[event.kind]) run.push(event);
    else {
      close();
      lines.push({ kind: 'one', id: event.id, event });
    }
  }
  close();
  return lines;
}

function foldRun(run: readonly EventRow[]): EventLine[] {
  if (run.length <= LOOSE_MAX) return run.map((event) => ({ kind: 'one', id: event.id, event }));
  const lines = (['renewals', 'calls'] as const).flatMap((of): EventLine[] => {
    const events = run.filter(({ kind }) => ROUTINE[kind] === of);
    const [first] = events;
    if (!first) return [];
    if (events.length === 1) return [{ kind: 'one', id: first.id, event: first }];
    return [{ kind: 'run', id: `${of} ${events.at(-1)?.id}`, of, events }];
  });
  return lines.sort((a, b) => newest(b).rev - newest(a).rev);
}

function newest(line: EventLine): EventRow {
  const event = line.kind === 'one' ? line.event : line.events[0];
  if (!event) throw new Error('A run has events.');
  return event;
}
