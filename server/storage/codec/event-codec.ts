import type { Meta } from '../../contract/primitives';
import type { CounterEvent } from '../../core/counter/counter-event';
import type { LockEvent } from '../../core/lock/lock-event';
import type { RecordEvent } from '../../core/record-event';

/** The rare facts of an event. */
type Facts = Record<string, unknown>;

/** The facts that only locks have. */
type OwnFacts = Pick<Partial<LockEvent>, 'owner' | 'token'>;

type PlainTuple = [
  kind: RecordEvent['kind'],
  at: number,
  revsBefore: number,
  service: string,
  owner: string,
  token: number,
  facts?: Facts,
];

/** What an event is in JSON, or some increments are together. */
export type EventTuple = PlainTuple | IncrementRun;

/**
 * The texts of a change's events: JSON without their common `rev`, and without empty facts. Of
 * counters there may be fewer, since increments that directly follow one another share one.
 */
export function encodeEvents(events: readonly RecordEvent[], changeRev: number): string[] {
  const [only] = events;
  if (only && events.length === 1 && !isPlainIncrement(only)) return [encodeEvent(only, changeRev)];
  const tuples: EventTuple[] = [];
  let run: IncrementRun | null = null;
  let last: RecordEvent | null = null;
  for (const event of events) {
    if (!isPlainIncrement(event)) {
      run = null;
      tuples.push(tupleOf(event, changeRev));
    } else if (run && continuesRun(run, last, event)) {
      run[5].push(event.delta);
    } else {
      run = startRun(event, changeRev);
      tuples.push(run);
    }
    last = event;
  }
  return tuples.map((tuple) => JSON.stringify(tuple));
}

/** The same of one event that shares its text with no other. */
export const encodeEvent = (event: RecordEvent, changeRev: number): string =>
  JSON.stringify(tupleOf(event, changeRev));

/** @param tuple a parsed text of `encodeEvents` */
export function decodeEvents(tuple: EventTuple, changeRev: number): RecordEvent[] {
  if (tuple[0] === 'run') return eventsOfRun(tuple as IncrementRun, changeRev);
  const [kind, at, revsBefore, service, owner, token, facts] = tuple as PlainTuple;
  const event: Facts = { kind, at, rev: changeRev - revsBefore, service };
  if (owner !== '') event.owner = owner;
  if (token !== 0) event.token = token;
  return [Object.assign(event, facts) as unknown as RecordEvent];
}

/** Counters leave the lock-only fields empty. */
function tupleOf(event: RecordEvent, changeRev: number): PlainTuple {
  const { kind, at, rev, service, owner = '', token = 0 }: OwnFacts & RecordEvent = event;
  const facts = factsOf(event as unknown as Facts);
  const revsBefore = changeRev - rev;
  if (!facts) return [kind, at, revsBefore, service, owner, token];
  return [kind, at, revsBefore, service, owner, token, facts];
}

/** Checked name by name: destructuring costs twice as much, and nearly every event passes here. */
function factsOf(event: Facts): Facts | null {
  let facts: Facts | null = null;
  for (const name in event) {
    const fact = event[name];
    if (isNoFact(name, fact)) continue;
    facts ??= {};
    facts[name] = fact;
  }
  return facts;
}

/** Whether it has its own field in the tuple, or is empty. */
function isNoFact(name: string, fact: unknown): boolean {
  if (fact === undefined) return true;
  switch (name) {
    case 'kind':
    case 'at':
    case 'rev':
    case 'service':
    case 'owner':
    case 'token':
      return true;
    case 'waitedMs':
      return fact === 0;
    case 'meta':
      return Object.keys(fact as Meta).length === 0;
    default:
      return false;
  }
}

/**
 * Consecutive steps of one service in one commit, in a few bytes each: a hot counter has hundreds
 * of them. Everything else about a step follows from the one before it.
 */
type IncrementRun = [
  kind: 'run',
  at: number,
  firstRevsBefore: number,
  service: string,
  valueBefore: number,
  deltas: number[],
];

type Increment = CounterEvent & { kind: 'added'; delta: number };

/** Whether a run can store this event: not an operator's step, which has a name and a reason. */
function isPlainIncrement(event: RecordEvent): event is Increment {
  return event.kind === 'added' && event.delta !== undefined && event.by === undefined;
}

function startRun(step: Increment, changeRev: number): IncrementRun {
  const { at, rev, service, value, delta } = step;
  return ['run', at, changeRev - rev, service, value - delta, [delta]];
}

/** Whether the step directly follows this run, whose last event was `last`. */
function continuesRun(run: IncrementRun, last: RecordEvent | null, step: Increment): boolean {
  const [, at, , service] = run;
  return (
    last?.kind === 'added' &&
    step.at === at &&
    step.service === service &&
    step.rev === last.rev + 1 &&
    step.value === last.value + step.delta
  );
}

function eventsOfRun(run: IncrementRun, changeRev: number): CounterEvent[] {
  const [, at, firstRevsBefore, service, valueBefore, deltas] = run;
  const firstRev = changeRev - firstRevsBefore;
  let value = valueBefore;
  return deltas.map((delta, i) => {
    value += delta;
    return { kind: 'added', at, rev: firstRev + i, service, delta, value };
  });
}
