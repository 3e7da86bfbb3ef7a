import type { Meta } from '../../contract/primitives';
import { append } from '../../core/append';
import type { CounterEvent } from '../../core/counter/counter-event';
import type { LockEvent } from '../../core/lock/lock-event';
import type { RecordEvent } from '../../core/record-event';
import { recordId, recordKey } from '../record-id';
import type { Change, HistoryRow } from '../record-store';

/** The rare facts of an event. */
type Facts = Record<string, unknown>;

/** The facts that only locks have. */
type OwnFacts = Pick<Partial<LockEvent>, 'owner' | 'token'>;

type EventTuple = [
  kind: RecordEvent['kind'],
  at: number,
  revsBefore: number,
  service: string,
  owner: string,
  token: number,
  facts?: Facts,
];

export type ChangeTuple = [
  writer: string,
  id: string,
  rev: number,
  events: (EventTuple | IncrementRun)[],
];

/** Whether any of these changes has events. */
export function hasEvents(changes: Change[]): boolean {
  return changes.some((change) => change.events.length > 0);
}

/** The text of what a commit proposes. The store writes beside it which changes applied. */
export function encodeHistory(changes: Change[]): string {
  return JSON.stringify(historyTuples(changes));
}

/** The same before it becomes text. */
export function historyTuples(changes: Change[]): ChangeTuple[] {
  const withEvents = changes.filter((change) => change.events.length > 0);
  return withEvents.map(({ writer, key, rev, events }) => [
    writer,
    recordId(key),
    rev,
    encodeEvents(events, rev),
  ]);
}

/** A row of history as a store keeps it. */
export interface StoredHistoryRow {
  id: number;
  at: number;
  /** `encodeHistory`. */
  changes: string;
  /** The writers of the applied changes, with commas between them. */
  took: string;
}

/** The events of the applied changes. */
export function decodeHistory(row: StoredHistoryRow): HistoryRow {
  const took = new Set(row.took.split(','));
  return historyRow(row, JSON.parse(row.changes), (writer) => took.has(writer));
}

/** @param isApplied whether the change of a writer was applied */
export function historyRow(
  { id: rowId, at }: Pick<HistoryRow, 'id' | 'at'>,
  all: readonly ChangeTuple[],
  isApplied: (writer: string) => boolean,
): HistoryRow {
  const changes: HistoryRow['changes'] = [];
  for (const [writer, id, rev, tuples] of all) {
    if (!isApplied(writer)) continue;
    const events: RecordEvent[] = [];
    for (const tuple of tuples) {
      if (tuple[0] === 'run') events.push(...eventsOfRun(tuple as IncrementRun, rev));
      else events.push(decodeEvent(tuple as EventTuple, rev));
    }
    changes.push({ key: recordKey(id), rev, events });
  }
  return { id: rowId, at, changes };
}

/** An event as it is read back from the history. */
export const asReadBack = (event: RecordEvent): RecordEvent =>
  decodeEvent(encodeEvent(event, event.rev), event.rev);

function encodeEvents(events: RecordEvent[], changeRev: number): (EventTuple | IncrementRun)[] {
  let tuples: (EventTuple | IncrementRun)[] = [];
  let run: IncrementRun | null = null;
  let last: RecordEvent | null = null;
  for (const event of events) {
    if (!isPlainIncrement(event)) {
      run = null;
      tuples = append(tuples, [encodeEvent(event, changeRev)]);
    } else if (run && continuesRun(run, last, event)) {
      run[5].push(event.delta);
    } else {
      run = startRun(event, changeRev);
      tuples = append(tuples, [run]);
    }
    last = event;
  }
  return tuples;
}

/** Counters leave the lock-only fields empty. */
function encodeEvent(event: RecordEvent, changeRev: number): EventTuple {
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

function decodeEvent(tuple: EventTuple, changeRev: number): RecordEvent {
  const [kind, at, revsBefore, service, owner, token, facts] = tuple;
  const event: Facts = { kind, at, rev: changeRev - revsBefore, service };
  if (owner !== '') event.owner = owner;
  if (token !== 0) event.token = token;
  return Object.assign(event, facts) as unknown as RecordEvent;
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
