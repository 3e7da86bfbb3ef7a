import type { Decision } from '../../core/decision';
import type { RecordEvent } from '../../core/record-event';
import { encodeEventTexts } from '../../storage/codec/event-codec';
import type { Change, RecordKey } from '../../storage/record-store';
import { type AnyKnownRecord, type AnyRecord, recordTypeOf } from '../record-type';

/** The decision about one record, and the record from which it was decided. */
export interface DecidedChange
  extends Pick<
    Decision<unknown, AnyRecord, RecordEvent>,
    'expect' | 'events' | 'storedAnswers' | 'extensions'
  > {
  key: RecordKey;
  base: AnyKnownRecord | null;
  /** The backend's epoch that the decision used. */
  epoch: number;
  /** Requests that were decided as if they had no stored answer, without reading it. */
  unanswered?: string[];
}

/** The change to send to a store, and the stored form of the queue once it is applied. */
export interface PreparedChange {
  change: Change;
  storedQueue: AnyKnownRecord['storedQueue'];
}

/** Whether a decision creates its record. */
export function createsRecord({ base, next }: { base: unknown; next: unknown }): boolean {
  return base === null && next !== null;
}

/**
 * Encodes a decision as a change.
 *
 * @param next the record after the decision
 * @param writer never used before
 */
export function prepareChange(
  decided: DecidedChange,
  next: AnyRecord,
  writer: string,
): PreparedChange {
  const { key, base, expect, epoch, events, storedAnswers, extensions, unanswered = [] } = decided;
  const { head, queue, storedQueue } = recordTypeOf(key).encode(next, base);
  const change: Change = {
    key,
    expect: base && { rev: base.record.rev, writer: base.writer },
    clock: expect,
    epoch,
    writer,
    rev: next.rev,
    head,
    queue,
    events,
    eventTexts: encodeEventTexts(events, next.rev),
    storedAnswers,
    extensions,
    ...(unanswered.length > 0 && { unanswered }),
  };
  return { change, storedQueue };
}
