import type { Decision } from '../../core/decision';
import type { RecordEvent } from '../../core/record-event';
import type { Change, RecordKey } from '../../storage/record-store';
import { type AnyRecord, type KnownAny, machineOf } from '../record-type';

/** What was decided about one record, and what it was decided from. */
export interface Decided
  extends Pick<
    Decision<unknown, AnyRecord, RecordEvent>,
    'expect' | 'events' | 'memos' | 'extensions'
  > {
  key: RecordKey;
  base: KnownAny | null;
  /** The backend's epoch, as it was decided with. */
  epoch: number;
}

/**
 * The change that a store is asked for, and what its record is known to have of its queue once that
 * has taken.
 */
export interface Written {
  change: Change;
  queueOnDisk: KnownAny['queueOnDisk'];
}

/**
 * @param next what was decided that the record becomes
 * @param writer unlike any other, ever
 */
export function writeDown(decided: Decided, next: AnyRecord, writer: string): Written {
  const { key, base, expect, epoch, events, memos, extensions } = decided;
  const { head, queue, queueOnDisk } = machineOf(key).encode(next, base);
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
    memos,
    extensions,
  };
  return { change, queueOnDisk };
}
