import type { Change } from '../backends/record-store';
import type { Proposal } from './decide-group';
import { keyOf } from './lane';
import { type AnyRecord, type KnownAny, machineOf } from './machine';

/** A proposal that changes its record, as a store is asked for it. */
export interface Written {
  proposal: Proposal;
  record: AnyRecord;
  queueOnDisk: KnownAny['queueOnDisk'];
  change: Change;
}

/** @param record what the proposal makes of its record */
export function writeDown(proposal: Proposal, record: AnyRecord, writer: string): Written {
  const { group, base, expect, epoch, events, memos, extensions } = proposal;
  const key = keyOf(group);
  const { head, queue, queueOnDisk } = machineOf(key).encode(record, base);
  const change: Change = {
    key,
    expect: base && { rev: base.record.rev, writer: base.writer },
    clock: expect,
    epoch,
    writer,
    rev: record.rev,
    head,
    queue,
    events,
    memos,
    extensions,
  };
  return { proposal, record, queueOnDisk, change };
}
