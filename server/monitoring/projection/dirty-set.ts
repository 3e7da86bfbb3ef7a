import type { RecordEvent } from '../../core/record-event';
import { recordId } from '../../storage/record-id';
import type { HistoryRow, RecordKey } from '../../storage/record-store';
import type { HistoryTail } from '../history/history-tail';

/** How often the history is read in one go, so that a busy backend is caught up with. */
const READS_MAX = 50;

/** A namespace of Lockyard's own; never shown. */
export const isInternal = (key: RecordKey) => key.namespace.startsWith('.');

/**
 * Records of one backend that have moved, according to its history, and have not been read since.
 */
export class DirtySet {
  /** By record, the last rev in the history. Removed once the record has been read. */
  readonly revs = new Map<string, number>();

  /** @param onEvents called with everything that happened to a record, by its id */
  constructor(
    private readonly tail: HistoryTail,
    private readonly onEvents: (id: string, events: RecordEvent[]) => void,
  ) {}

  /** Reads on in the history. */
  async follow(): Promise<void> {
    for (let round = 0; round < READS_MAX; round += 1) {
      const rows = await this.tail.poll();
      for (const { changes } of rows) for (const change of changes) this.note(change);
      if (rows.length === 0) return;
    }
  }

  private note({ key, rev, events }: HistoryRow['changes'][number]): void {
    if (isInternal(key)) return;
    const id = recordId(key);
    this.revs.set(id, Math.max(rev, this.revs.get(id) ?? 0));
    this.onEvents(id, events);
  }
}
