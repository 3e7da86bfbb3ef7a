import { recordId } from '@/server/storage/record-id';
import type {
  Change,
  ReadResult,
  RecordKey,
  RecordStore,
  StoredRecord,
  SwapResult,
} from '@/server/storage/record-store';

/** Records in memory, for measuring what is above a store. It keeps no history and no answers. */
export class MemoryStore implements RecordStore {
  private readonly records = new Map<string, StoredRecord>();

  async read(keys: RecordKey[]): Promise<ReadResult> {
    const now = Date.now();
    const record = (key: RecordKey) => this.records.get(recordId(key)) ?? null;
    return { records: keys.map((key) => ({ key, record: record(key), now })), memos: [] };
  }

  async swap(changes: Change[]): Promise<SwapResult[]> {
    const now = Date.now();
    return changes.map(({ key, expect, clock, rev, writer, head, queue }) => {
      const id = recordId(key);
      const kept = this.records.get(id) ?? null;
      const isExpected = kept?.rev === expect?.rev && kept?.writer === expect?.writer;
      if (!isExpected || now < clock.past || now >= clock.ahead) {
        return { applied: false, now, current: kept };
      }
      this.records.set(id, { rev, writer, head, queue: queue ?? kept?.queue ?? '' });
      return { applied: true, now, current: { rev, writer } };
    });
  }

  async swapAll(): Promise<SwapResult[]> {
    throw new Error('Nothing that is measured here takes several locks at once.');
  }

  async scan() {
    return { records: [], next: null };
  }

  async deleteRecords() {
    return [];
  }

  async deleteExpiredAnswers() {}

  async guarantees() {
    return {
      level: 'Best-effort' as const,
      reasons: ['It keeps nothing.'],
      settings: [],
      unsafe: null,
    };
  }

  async close() {}
}
