import { decodeCounter, encodeCounter } from '../backends/counter-codec';
import {
  decodeRecord,
  type EncodedRecord,
  encodeRecord,
  type KnownRecord,
} from '../backends/record-codec';
import type { RecordKey, StoredRecord } from '../backends/record-store';
import type { CounterCommand } from '../domain/counter-command';
import type { CounterRecord } from '../domain/counter-record';
import { decide } from '../domain/decide';
import { decideCounter } from '../domain/decide-counter';
import type { Decision, DecisionContext } from '../domain/decision';
import type { LockCommand } from '../domain/lock-command';
import type { LockRecord } from '../domain/lock-record';
import type { RecordEvent } from '../domain/record-event';

/** The truth about one lock or one counter. */
export type AnyRecord = LockRecord | CounterRecord;

export type AnyCommand = LockCommand | CounterCommand;

/** A record of whatever kind, as this process last saw or wrote it. */
export type KnownAny = KnownRecord<AnyRecord>;

/**
 * Everything that the engine must know of a kind of record: how it is written down, and who decides. Grouping, swapping,
 * remembering and finding out are the same for all kinds.
 */
export interface Machine<R extends AnyRecord = AnyRecord, C extends AnyCommand = AnyCommand> {
  /** Throws for a text that no version of ours wrote. */
  decode(stored: StoredRecord): KnownRecord<R>;
  encode(next: R, known: KnownRecord<R> | null): EncodedRecord;
  decide(record: R | null, command: C, context: DecisionContext): Decision<unknown, R, RecordEvent>;
  /** The processes whose being alive the next decision may rest on. */
  processesIn(record: R): string[];
}

const LOCKS: Machine<LockRecord, LockCommand> = {
  decode: decodeRecord,
  encode: encodeRecord,
  decide,
  processesIn: ({ queue }) => queue.map((waiter) => waiter.process),
};

const COUNTERS: Machine<CounterRecord, CounterCommand> = {
  decode: decodeCounter,
  encode: encodeCounter,
  decide: decideCounter,
  processesIn: () => [],
};

/** The engine hands a machine nothing but records and commands of its own kind: those that came under such a key. */
export function machineOf({ kind }: RecordKey): Machine {
  return kind === 'counter' ? COUNTERS : LOCKS;
}
