import { isWithin } from '../../contract/counter-bounds';
import type { CounterMove, CounterRecord } from '../../core/counter/counter-record';
import { ANSWER_RETENTION_MS } from '../../core/timing';
import type { StoredRecord } from '../record-store';
import type { EncodedRecord, KnownRecord } from './record-codec';
import { requireValidRev } from './unreadable-record';

/** `isPerson` is 1 for an operator's change. */
type MoveTuple = [at: number, delta: number, who: string, isPerson: 0 | 1];

type Head = [
  value: number,
  floor: number | null,
  ceiling: number | null,
  createdAt: number,
  lastMove: MoveTuple | 0,
  /** Absent in records of an older version: then it follows from the instant of the last change. */
  answersUntil?: number,
];

/** A counter has no queue. */
const NO_QUEUE: readonly never[] = [];

/** Throws for a text that no version of Lockyard wrote: a counter must be exact to be used. */
export function decodeCounter(stored: StoredRecord): KnownRecord<CounterRecord> {
  requireValidRev(stored.rev);
  const [value, floor, ceiling, createdAt, move, storedUntil] = JSON.parse(stored.head) as Head;
  if (!isWithin(value, { floor, ceiling })) throw new Error('This is not the text of a counter.');
  const lastMove = move === 0 ? null : decodeMove(move);
  const answersUntil = storedUntil ?? (lastMove?.at ?? createdAt) + ANSWER_RETENTION_MS;
  const record = { rev: stored.rev, value, floor, ceiling, createdAt, lastMove, answersUntil };
  return { record, writer: stored.writer, storedQueue: NO_QUEUE };
}

export function encodeCounter(next: CounterRecord): EncodedRecord {
  const { value, floor, ceiling, createdAt, lastMove, answersUntil } = next;
  const move = lastMove ? encodeMove(lastMove) : 0;
  const head: Head = [value, floor, ceiling, createdAt, move, answersUntil];
  return { head: JSON.stringify(head), queue: '', storedQueue: NO_QUEUE };
}

function encodeMove({ at, delta, who, isPerson }: CounterMove): MoveTuple {
  return [at, delta, who, isPerson ? 1 : 0];
}

function decodeMove([at, delta, who, isPerson]: MoveTuple): CounterMove {
  return { at, delta, who, isPerson: isPerson === 1 };
}
