import type { CounterEvent } from '../../core/counter/counter-event';
import type { RecordEvent } from '../../core/record-event';

/**
 * Consecutive steps of one service in one commit, in a few bytes each: a hot counter has hundreds
 * of them. Everything else about a step follows from the one before it.
 */
export type IncrementRun = [
  kind: 'run',
  at: number,
  firstRevsBefore: number,
  service: string,
  valueBefore: number,
  deltas: number[],
];

type Increment = CounterEvent & { kind: 'added'; delta: number };

/**
 * Whether a run can store this event: an operator's step also has a name and a reason, so it
 * cannot.
 */
export function isPlainIncrement(event: RecordEvent): event is Increment {
  return event.kind === 'added' && event.delta !== undefined && event.by === undefined;
}

export function startRun(step: Increment, changeRev: number): IncrementRun {
  const { at, rev, service, value, delta } = step;
  return ['run', at, changeRev - rev, service, value - delta, [delta]];
}

/** Whether the step directly follows this run, whose last event was `last`. */
export function continuesRun(
  run: IncrementRun,
  last: RecordEvent | null,
  step: Increment,
): boolean {
  const [, at, , service] = run;
  return (
    last?.kind === 'added' &&
    step.at === at &&
    step.service === service &&
    step.rev === last.rev + 1 &&
    step.value === last.value + step.delta
  );
}

export function eventsOfRun(run: IncrementRun, changeRev: number): CounterEvent[] {
  const [, at, firstRevsBefore, service, valueBefore, deltas] = run;
  const firstRev = changeRev - firstRevsBefore;
  let value = valueBefore;
  return deltas.map((delta, i) => {
    value += delta;
    return { kind: 'added', at, rev: firstRev + i, service, delta, value };
  });
}
