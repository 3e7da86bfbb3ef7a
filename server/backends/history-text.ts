import type { LockEvent } from '../domain/lock-event';
import type { RecordEvent } from '../domain/record-event';
import { beginRun, goesOn, isPlainStep, type RunTuple, stepsOf } from './added-run';
import { recordId, recordKey } from './record-id';
import type { Change, HistoryRow } from './record-store';

/** Everything of an event that few events have. */
type Facts = Record<string, unknown>;

/** Those that only locks have, and that are often empty. */
type OwnFacts = Pick<Partial<LockEvent>, 'owner' | 'token' | 'waitedMs' | 'meta'>;

type EventTuple = [
  kind: RecordEvent['kind'],
  at: number,
  revsBefore: number,
  service: string,
  owner: string,
  token: number,
  facts?: Facts,
];

type ChangeTuple = [writer: string, id: string, rev: number, events: (EventTuple | RunTuple)[]];

/** What a flush proposes, as it is kept: which changes took is written beside it by the store. */
export function encodeHistory(changes: Change[]): string {
  const told = changes.filter((change) => change.events.length > 0);
  const tuples = told.map(
    ({ writer, key, rev, events }): ChangeTuple => [
      writer,
      recordId(key),
      rev,
      encodeEvents(events, rev),
    ],
  );
  return JSON.stringify(tuples);
}

/** The events of those changes whose writers took. */
export function decodeHistory(row: {
  id: number;
  at: number;
  changes: string;
  took: string;
}): HistoryRow {
  const took = new Set(row.took.split(','));
  const changes: HistoryRow['changes'] = [];
  for (const [writer, id, rev, tuples] of JSON.parse(row.changes) as ChangeTuple[]) {
    if (!took.has(writer)) continue;
    const events: RecordEvent[] = [];
    for (const tuple of tuples) {
      if (tuple[0] === 'run') events.push(...stepsOf(tuple as RunTuple, rev));
      else events.push(decodeEvent(tuple as EventTuple, rev));
    }
    changes.push({ key: recordKey(id), rev, events });
  }
  return { id: row.id, at: row.at, changes };
}

function encodeEvents(events: RecordEvent[], changeRev: number): (EventTuple | RunTuple)[] {
  const tuples: (EventTuple | RunTuple)[] = [];
  let run: RunTuple | null = null;
  let last: RecordEvent | null = null;
  for (const event of events) {
    if (!isPlainStep(event)) {
      run = null;
      tuples.push(encodeEvent(event, changeRev));
    } else if (run && goesOn(run, last, event)) {
      run[5].push(event.delta);
    } else {
      run = beginRun(event, changeRev);
      tuples.push(run);
    }
    last = event;
  }
  return tuples;
}

/** What only locks have is left empty for counters. Taken apart in one go: nearly every event of a busy server comes here. */
function encodeEvent(event: RecordEvent, changeRev: number): EventTuple {
  const all: OwnFacts & RecordEvent = event;
  const { kind, at, rev, service, owner = '', token = 0, waitedMs = 0, meta, ...more } = all;
  const facts: Facts = more;
  if (waitedMs !== 0) facts.waitedMs = waitedMs;
  if (meta && Object.keys(meta).length > 0) facts.meta = meta;
  const tuple: EventTuple = [kind, at, changeRev - rev, service, owner, token];
  if (Object.keys(facts).length > 0) tuple.push(facts);
  return tuple;
}

function decodeEvent(tuple: EventTuple, changeRev: number): RecordEvent {
  const [kind, at, revsBefore, service, owner, token, facts] = tuple;
  const event: Facts = { kind, at, rev: changeRev - revsBefore, service };
  if (owner !== '') event.owner = owner;
  if (token !== 0) event.token = token;
  return Object.assign(event, facts) as unknown as RecordEvent;
}
