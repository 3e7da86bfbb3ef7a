import type { Cell } from '@/db/snapshot';
import type { LockEvent } from '../core/lock/lock-event';
import { type Restore, restoredCounter, restoredLock } from '../core/restored-record';
import { newWriter } from '../engine/new-writer';
import { decodeCounter, encodeCounter } from '../storage/codec/counter-codec';
import { encodeHistory } from '../storage/codec/history-codec';
import { decodeRecord, encodeRecord } from '../storage/codec/record-codec';
import { recordKey } from '../storage/record-id';
import type { Change } from '../storage/record-store';

type Row = Record<string, Cell>;

/**
 * Converts the rows of locks and counters to their state after a restore, and collects the history
 * of that.
 */
export class RestoredRows {
  private readonly changes: { id: string; rev: number; writer: string; events: LockEvent[] }[] = [];

  constructor(private readonly restoration: Restore) {}

  /**
   * A row of the table `locks`. A row that no version of ours wrote stays unchanged: no engine will
   * decide on it.
   */
  record(row: Row): Row {
    const stored = {
      rev: Number(row.rev),
      writer: String(row.writer),
      head: String(row.head),
      queue: String(row.queue),
    };
    const id = String(row.id);
    try {
      return { ...row, ...this.next(id, stored), changed_at: this.restoration.now };
    } catch {
      return row;
    }
  }

  /** Rows of the table `lock_history`, `LOCKS_A_ROW` locks each. */
  history(): Row[] {
    const rows: Row[] = [];
    for (let from = 0; from < this.changes.length; from += LOCKS_A_ROW) {
      const locks = this.changes.slice(from, from + LOCKS_A_ROW);
      const changes = locks.map(({ id, ...change }) => ({
        ...UNUSED,
        ...change,
        key: recordKey(id),
      }));
      rows.push({
        at: this.restoration.now,
        changes: encodeHistory(changes),
        took: locks.map(({ writer }) => writer).join(','),
      });
    }
    return rows;
  }

  private next(id: string, stored: Parameters<typeof decodeRecord>[0]): Row {
    const writer = newWriter();
    if (recordKey(id).kind === 'counter') {
      const next = restoredCounter(decodeCounter(stored).record, this.restoration.now);
      return { rev: next.rev, writer, head: encodeCounter(next).head };
    }
    const { next, events } = restoredLock(decodeRecord(stored).record, this.restoration);
    if (events.length > 0) this.changes.push({ id, rev: next.rev, writer, events });
    const { head, queue } = encodeRecord(next, null);
    return { rev: next.rev, writer, head, queue: queue ?? '' };
  }
}

const LOCKS_A_ROW = 100;

/** The parts of a change that its history text does not need. */
const UNUSED: Omit<Change, 'key' | 'rev' | 'writer' | 'events'> = {
  expect: null,
  clock: { past: 0, ahead: Number.POSITIVE_INFINITY },
  head: '',
  queue: null,
  memos: [],
  extensions: [],
};
