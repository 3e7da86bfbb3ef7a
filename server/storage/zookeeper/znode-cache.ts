import type { IdempotencyRecord } from '../../core/decision';
import type { ConnectionProvider } from './client/guarded-connection';
import { sync } from './client/wire-calls';
import { type KnownRecordZnode, type KnownZnode, readAnswer, readRecord } from './read-znodes';
import { RecentMap } from './recent-map';
import type { ZookeeperLayout } from './zookeeper-layout';

const WEIGHT_OF_RECORDS = 32_000_000;
const WEIGHT_OF_MEMOS = 16_000_000;
const WEIGHT_OF_ONE = 300;

/**
 * Which version of a znode held a rev and writer: a swap compares versions, and its caller knows
 * only rev and writer. Learnt from reads and swaps; a remembered version may only be offered to
 * ZooKeeper for comparison.
 */
export class ZnodeCache {
  private readonly records = new RecentMap<KnownRecordZnode>(WEIGHT_OF_RECORDS);
  private readonly memos = new RecentMap<KnownZnode<IdempotencyRecord>>(WEIGHT_OF_MEMOS);
  /**
   * Counts how often everything was forgotten: an answer to an earlier question must not be
   * remembered.
   */
  private age = 0;

  record(id: string): KnownRecordZnode | undefined {
    return this.records.get(id);
  }

  memo(key: string): KnownZnode<IdempotencyRecord> | undefined {
    return this.memos.get(key);
  }

  noteRecord(id: string, known: KnownRecordZnode): void {
    const { head = '', queue = '' } = known.content ?? {};
    this.records.set(id, known, WEIGHT_OF_ONE + head.length + queue.length);
  }

  noteMemo(key: string, known: KnownZnode<IdempotencyRecord>): void {
    this.memos.set(key, known, WEIGHT_OF_ONE * 2);
  }

  dropRecord(id: string): void {
    this.records.delete(id);
  }

  dropMemo(key: string): void {
    this.memos.delete(key);
  }

  dropAll(): void {
    this.records.clear();
    this.memos.clear();
    this.age += 1;
  }

  /**
   * Reads the current records: never older than any answer given to any caller before this call.
   *
   * @throws StoreError
   */
  async read(
    session: ConnectionProvider,
    layout: ZookeeperLayout,
    ids: string[],
    memoKeys: string[],
  ): Promise<{ records: KnownRecordZnode[]; memos: KnownZnode<IdempotencyRecord>[] }> {
    const connection = await session.connected();
    const { age } = this;
    const synced = connection.ask(sync(layout.tick));
    const asked = ids.map((id) => readRecord(connection, layout, id, this.records.get(id)));
    const askedMemos = memoKeys.map((key) => readAnswer(connection, layout, key));
    const [, records, memos] = await Promise.all([
      synced,
      Promise.all(asked),
      Promise.all(askedMemos),
      connection.prove(),
    ]);
    const result = { records, memos };
    if (age === this.age) {
      for (const [i, record] of result.records.entries()) this.noteRecord(ids[i] ?? '', record);
      for (const [i, memo] of result.memos.entries()) this.noteMemo(memoKeys[i] ?? '', memo);
    }
    return result;
  }
}
