import type { Meta } from '../../contract/primitives';
import { append } from '../../core/append';
import type { CounterEvent } from '../../core/counter/counter-event';
import type { LockEvent } from '../../core/lock/lock-event';
import type { RecordEvent } from '../../core/record-event';

/** The rare facts of an event. */
type Facts = Record<string, unknown>;

/** The facts that only events of locks have. */
type LockFacts = Pick<Partial<LockEvent>, 'owner' | 'token'>;

type PlainTuple = [
  kind: RecordEvent['kind'],
  at: number,
  revsBefore: number,
  service: string,
  owner: string,
  token: number,
  facts?: Facts,
];

/** The JSON form of one event, or of several increments together. */
export type EventTuple = PlainTuple | IncrementRun;

/** The texts of some events of one change. */
export interface EventTexts {
  readonly of: readonly RecordEvent[];
  readonly changeRev: number;
  readonly texts: readonly string[];
}

/** The part of a change that concerns its events. */
interface EventsOfChange {
  readonly rev: number;
  readonly events: readonly RecordEvent[];
  readonly eventTexts?: EventTexts | undefined;
}

/** The texts of a change's events, to be stored in its `eventTexts`. */
export const encodeEventTexts = (of: readonly RecordEvent[], changeRev: number): EventTexts => ({
  of,
  changeRev,
  texts: encodeEvents(of, changeRev),
});

/**
 * The texts of a change's events: JSON with their `rev` relative to that of the change, and without
 * empty facts. A counter may have fewer texts than events: increments that directly follow one
 * another share one.
 */
export function textsOf({ rev, events, eventTexts: kept }: EventsOfChange): readonly string[] {
  const isOfThese = kept?.of === events && kept.changeRev === rev;
  return isOfThese ? kept.texts : encodeEvents(events, rev);
}

/** As `textsOf`, but with exactly one text for each event. */
export function separateTexts(change: EventsOfChange): readonly string[] {
  const texts = textsOf(change);
  const { rev, events } = change;
  // Each text holds one event or more, so equal numbers mean one event in each.
  if (texts.length === events.length) return texts;
  return events.flatMap((event) => encodeEvents([event], rev));
}

function encodeEvents(events: readonly RecordEvent[], changeRev: number): string[] {
  let tuples: EventTuple[] = [];
  let run: IncrementRun | null = null;
  let last: RecordEvent | null = null;
  for (const event of events) {
    if (!isPlainIncrement(event)) {
      run = null;
      tuples = append(tuples, [tupleOf(event, changeRev)]);
    } else if (run && continuesRun(run, last, event)) {
      run[5].push(event.delta);
    } else {
      run = startRun(event, changeRev);
      tuples = append(tuples, [run]);
    }
    last = event;
  }
  return tuples.map((tuple) => JSON.stringify(tuple));
}

/** @param tuple a parsed text of `textsOf` */
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
  const { kind, at, rev, service, owner = '', token = 0 }: LockFacts & RecordEvent = event;
  const facts = factsOf(event as unknown as Facts);
  const revsBefore = changeRev - rev;
  if (!facts) return [kind, at, revsBefore, service, owner, token];
  return [kind, at, revsBefore, service, owner, token, facts];
}

/** Checks name by name: destructuring costs twice as much, and this runs for nearly every event. */
function factsOf(event: Facts): Facts | null {
  let facts: Facts | null = null;
  for (const name in event) {
    const fact = event[name];
    if (isOmitted(name, fact)) continue;
    facts ??= {};
    facts[name] = fact;
  }
  return facts;
}

/** Whether the facts omit a field: it has its own position in the tuple, or it is empty. */
function isOmitted(name: string, fact: unknown): boolean {
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
