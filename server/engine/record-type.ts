import type { CounterAnswers, CounterCommand } from '../core/counter/counter-command';
import type { CounterRecord } from '../core/counter/counter-record';
import { decideCounter } from '../core/counter/decide-counter';
import type { Decision, DecisionContext } from '../core/decision';
import { decide } from '../core/lock/decide';
import type { LockAnswers, LockCommand } from '../core/lock/lock-command';
import type { LockRecord } from '../core/lock/lock-record';
import { waiterOf } from '../core/lock/queue';
import type { RecordEvent } from '../core/record-event';
import { decodeCounter, encodeCounter } from '../storage/codec/counter-codec';
import {
  decodeRecord,
  type EncodedRecord,
  encodeRecord,
  type KnownRecord,
} from '../storage/codec/record-codec';
import type { RecordKey, StoredRecord } from '../storage/record-store';

/** The record of a lock or a counter. */
export type AnyRecord = LockRecord | CounterRecord;

export type AnyCommand = LockCommand | CounterCommand;

/** The answer to a command on a record of either kind. */
export type AnyAnswerOf<C extends AnyCommand> = (LockAnswers & CounterAnswers)[C['verb']];

/** A record of either kind, as this process last read or wrote it. */
export type AnyKnownRecord = KnownRecord<AnyRecord>;

/**
 * Everything that the engine must know about a kind of record: how it is encoded, and which
 * function decides. Batches, swaps, replays and recovery are the same for all kinds.
 */
export interface RecordType<R extends AnyRecord = AnyRecord, C extends AnyCommand = AnyCommand> {
  /** Throws if no version of Lockyard can have written the text. */
  decode(stored: StoredRecord): KnownRecord<R>;
  encode(next: R, known: KnownRecord<R> | null): EncodedRecord;
  decide(record: R | null, command: C, context: DecisionContext): Decision<unknown, R, RecordEvent>;
  /** Whether the record shows that this request was seen before, so an answer may be stored. */
  hasSeen(record: R, requestKey: string): boolean;
  /** The processes whose liveness the next decision may depend on. */
  processesIn(record: R): string[];
}

const LOCKS: RecordType<LockRecord, LockCommand> = {
  decode: decodeRecord,
  encode: encodeRecord,
  decide,
  hasSeen: (record, requestKey) =>
    waiterOf(record, requestKey) !== undefined ||
    record.holds.some(({ requests }) => requests.includes(requestKey)),
  processesIn: ({ queue }) => queue.map((waiter) => waiter.process),
};

const COUNTERS: RecordType<CounterRecord, CounterCommand> = {
  decode: decodeCounter,
  encode: encodeCounter,
  decide: decideCounter,
  hasSeen: () => false,
  processesIn: () => [],
};

/** The type of a key's record. It must be passed only records and commands of that kind. */
export function recordTypeOf({ kind }: RecordKey): RecordType {
  return kind === 'counter' ? COUNTERS : LOCKS;
}
