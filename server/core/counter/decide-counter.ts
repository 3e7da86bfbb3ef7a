import type { CounterAddAnswer, CounterCreateAnswer, CounterView } from '../../contract/counter';
import { areBounds, isWithin } from '../../contract/counter-bounds';
import { LockyardError } from '../../contract/errors';
import {
  actTooLate,
  type DecidingPolicy,
  type Decision,
  type IdempotencyRecord,
  refuseNewWhileFull,
  refuseWhileClosed,
  replayedAnswer,
} from '../decision';
import type { OperatorAct } from '../lock/lock-event';
import { checkCounterRecord } from '../record-invariants';
import type { RequestIdentity } from '../request-fingerprint';
import { ANSWER_RETENTION_MS } from '../timing';
import type {
  AddCommand,
  AdjustAnswer,
  AdjustByAnswer,
  AdjustCommand,
  CounterAnswerOf,
  CounterAnswers,
  CounterCommand,
  CounterParty,
  CreateCommand,
  SetBoundsAnswer,
  SetBoundsCommand,
} from './counter-command';
import type { CounterEvent } from './counter-event';
import { type CounterRecord, firstRev } from './counter-record';

/** What a decision needs besides the record and the command. */
export interface CounterContext {
  /** The backend's clock, epoch milliseconds: read with the record, or a lower bound of it. */
  now: number;
  /** The answer stored for this command's request id, if any; read together with the record. */
  storedAnswer: IdempotencyRecord | null;
  /**
   * Absent: the backend is open. While it is closed, services' steps are refused, since they could
   * not be revoked; reads and operators' actions work.
   */
  policy?: Pick<DecidingPolicy, 'closedBecause' | 'fullBecause'>;
}

/** The answer to a command, and the event of its change; null: it changes nothing. */
type Step<A> = [answer: A, event: CounterEvent | null];

/**
 * Decides one command on one counter. Counters change only here.
 *
 * Pure: the same record, command and context give the same decision; no record is mutated.
 *
 * Guarantees, once a store has swapped `next` in for exactly this record:
 * - floor ≤ value ≤ ceiling, in the record and in every answer; a step that would leave the bounds
 * changes nothing, and nothing is ever clamped;
 * - the value is the initial one plus every delta that was applied, exactly;
 * - one request id is at most one step; rev rises by one;
 * - an operator's action applies to what the operator saw, or changes nothing; one that does not
 * name what was seen applies to any value.
 *
 * @param record the counter as last read, or null if it was never created
 * @throws LockyardError `NOT_FOUND` for a counter that was never created; `INVALID` for a request
 * id used with another input, for bounds that no value fits, and for bounds that exclude the
 * initial value; `BACKEND_DOWN` for a service's step while the backend is closed, and for an
 * action whose latest instant is past; `NAMESPACE_FULL` for a new counter while there is no room
 * for it. Then nothing changes.
 */
export function decideCounter<C extends CounterCommand>(
  record: CounterRecord | null,
  command: C,
  context: CounterContext,
): Decision<CounterAnswerOf<C>, CounterRecord, CounterEvent> {
  const request = 'request' in command ? command.request : null;
  const replay = replayedAnswer<CounterAnswerOf<C>>(context.storedAnswer, request, context.now);
  if (replay) return unchanged(replay);
  const isOfService = 'party' in command && 'service' in command.party;
  if (isOfService) refuseWhileClosed(context.policy ?? {});
  if (command.verb === 'create' && !record) refuseNewWhileFull(context.policy ?? {});
  const [answer, event] = stepOf(record, command, context.now);
  const answered = answer as CounterAnswerOf<C>;
  if (!event) return unchanged(answered);
  // The latest instant of an operator's action: counters have no other deadline.
  const ahead = ('latestAt' in command && command.latestAt) || Number.POSITIVE_INFINITY;
  if (ahead <= context.now) throw actTooLate();
  const next = applied(record, event, command);
  checkCounterRecord(record, next);
  return {
    ...unchanged(answered),
    next,
    expect: { past: 0, ahead },
    events: [event],
    storedAnswers: storedAnswersOf(request, answer, context.now),
  };
}

function stepOf(
  record: CounterRecord | null,
  command: CounterCommand,
  now: number,
): Step<CounterAnswers[keyof CounterAnswers]> {
  if (command.verb === 'create') return create(record, command, now);
  if (!record)
    throw new LockyardError('NOT_FOUND', 'This counter was never created, or was deleted.');
  switch (command.verb) {
    case 'add':
      return add(record, command, now);
    case 'adjust':
      return adjust(record, command, now);
    case 'adjustBy':
      return moveTo(record, record.value + command.delta, command.party, now);
    case 'setBounds':
      return setBounds(record, command, now);
    case 'get':
      return [{ ...viewOf(record), rev: record.rev }, null];
  }
}

function create(
  record: CounterRecord | null,
  ask: CreateCommand,
  now: number,
): Step<CounterCreateAnswer> {
  if (record) return [{ outcome: 'exists', ...viewOf(record) }, null];
  const { floor, ceiling } = ask;
  refuseImpossible(ask);
  const value = 0 + ask.initial;
  if (!isWithin(value, ask)) {
    throw new LockyardError('INVALID', 'initial: must be between floor and ceiling.');
  }
  const event = { kind: 'created', at: now, rev: firstRev(now), ...partyOf(ask.party) } as const;
  return [{ outcome: 'created' }, { ...event, value, floor, ceiling }];
}

function add(record: CounterRecord, ask: AddCommand, now: number): Step<CounterAddAnswer> {
  const { delta } = ask;
  const value = record.value + delta;
  if (!isWithin(value, record)) return [{ outcome: 'outOfBounds', ...viewOf(record) }, null];
  const rev = record.rev + 1;
  const event = { kind: 'added', at: now, rev, ...partyOf(ask.party), delta, value } as const;
  return [{ outcome: 'applied', value, rev }, event];
}

function adjust(record: CounterRecord, ask: AdjustCommand, now: number): Step<AdjustAnswer> {
  const { seenValue } = ask;
  if (seenValue !== null && record.value !== seenValue) return [changed(record), null];
  return moveTo(record, 0 + ask.value, ask.party, now);
}

/** An operator's change of the value, within the bounds. */
function moveTo(
  record: CounterRecord,
  value: number,
  party: OperatorAct,
  now: number,
): Step<AdjustByAnswer> {
  const was = record.value;
  const delta = value - was;
  if (!isWithin(value, record)) return [{ outcome: 'outOfBounds', ...viewOf(record) }, null];
  if (!Number.isSafeInteger(delta)) {
    throw new LockyardError(
      'INVALID',
      'value: is too far from the present one for an exact difference.',
    );
  }
  const rev = record.rev + 1;
  const event = { kind: 'adjusted', at: now, rev, ...partyOf(party), delta, value } as const;
  return [{ outcome: 'adjusted', was, value, delta, rev }, event];
}

/** Refuses bounds that exclude the counter's value, which may have changed meanwhile. */
function setBounds(
  record: CounterRecord,
  ask: SetBoundsCommand,
  now: number,
): Step<SetBoundsAnswer> {
  const { floor, ceiling, seenBounds } = ask;
  if (record.floor !== seenBounds.floor || record.ceiling !== seenBounds.ceiling) {
    return [changed(record), null];
  }
  refuseImpossible(ask);
  const { value } = record;
  if (!isWithin(value, ask)) return [{ outcome: 'outOfBounds', ...viewOf(record) }, null];
  const rev = record.rev + 1;
  const event = { kind: 'rebound', at: now, rev, ...partyOf(ask.party), value } as const;
  return [
    { outcome: 'rebound', rev, value, floor, ceiling },
    { ...event, floor, ceiling },
  ];
}

/** The record as this event leaves it. */
function applied(
  record: CounterRecord | null,
  event: CounterEvent,
  command: CounterCommand,
): CounterRecord {
  const { rev, value, at, delta, service, by } = event;
  const { floor, ceiling } = event.floor === undefined ? (record ?? UNBOUNDED) : boundsOf(event);
  const lastMove =
    delta === undefined || command.verb === 'create'
      ? (record?.lastMove ?? null)
      : { at, delta, who: by ?? service, isPerson: by !== undefined };
  const isRemembered = 'request' in command && command.request?.remembered;
  // Earlier answers may be kept for longer: the clock may have been set back.
  const answersUntil = Math.max(
    record?.answersUntil ?? 0,
    isRemembered ? at + ANSWER_RETENTION_MS : 0,
  );
  const createdAt = record?.createdAt ?? at;
  return { rev, value, floor, ceiling, createdAt, lastMove, answersUntil };
}

const UNBOUNDED = { floor: null, ceiling: null };

const boundsOf = ({ floor = null, ceiling = null }: CounterEvent) => ({ floor, ceiling });

/** The answer to store for `ANSWER_RETENTION_MS`, if the request has an id. */
function storedAnswersOf(
  request: RequestIdentity | null,
  answer: unknown,
  now: number,
): IdempotencyRecord[] {
  if (!request?.remembered) return [];
  const { key, inputHash } = request;
  return [{ key, inputHash, answer, expiresAt: now + ANSWER_RETENTION_MS }];
}

function unchanged<A>(answer: A): Decision<A, CounterRecord, CounterEvent> {
  return {
    next: null,
    expect: { past: 0, ahead: Number.POSITIVE_INFINITY },
    answer,
    events: [],
    storedAnswers: [],
    extensions: [],
    handOffs: [],
    timeouts: [],
  };
}

function partyOf(party: CounterParty): Pick<CounterEvent, 'service' | 'by' | 'reason'> {
  return 'service' in party ? party : { service: '', ...party };
}

function viewOf({ value, floor, ceiling }: CounterRecord): CounterView {
  return { value, floor, ceiling };
}

function changed(record: CounterRecord) {
  return { outcome: 'changed', rev: record.rev, ...viewOf(record) } as const;
}

function refuseImpossible(bounds: { floor: number | null; ceiling: number | null }): void {
  if (areBounds(bounds)) return;
  throw new LockyardError('INVALID', 'floor: must not be above ceiling.');
}
