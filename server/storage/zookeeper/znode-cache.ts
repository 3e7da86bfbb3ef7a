import type { Memo } from '../../core/decision';
import type { ZookeeperLines } from './client/guarded-connection';
import { sync } from './client/wire-calls';
import { type Known, type KnownRecord, readMemo, readRecord } from './read-znodes';
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
export class KnownZnodes {
  private readonly records = new RecentMap<KnownRecord>(WEIGHT_OF_RECORDS);
  private readonly memos = new RecentMap<Known<Memo>>(WEIGHT_OF_MEMOS);
  /**
   * Counts how often everything was forgotten: an answer to an earlier question must not be
   * remembered.
   */
  private age = 0;

  record(id: string): KnownRecord | undefined {
    return this.records.get(id);
  }

  memo(key: string): Known<Memo> | undefined {
    return this.memos.get(key);
  }

  noteRecord(id: string, known: KnownRecord): void {
    const { head = '', queue = '' } = known.stands ?? {};
    this.records.set(id, known, WEIGHT_OF_ONE + head.length + queue.length);
  }

  noteMemo(key: string, known: Known<Memo>): void {
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
    session: ZookeeperLines,
    layout: ZookeeperLayout,
    ids: string[],
    memoKeys: string[],
  ): Promise<{ records: KnownRecord[]; memos: Known<Memo>[] }> {
    const connection = await session.connected();
    const { age } = this;
    const synced = connection.ask(sync(layout.tick));
    const asked = ids.map((id) => readRecord(connection, layout, id, this.records.get(id)));
    const askedMemos = memoKeys.map((key) => readMemo(connection, layout, key));
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
