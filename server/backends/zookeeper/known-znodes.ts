import type { Memo } from '../../domain/decision';
import type { StoredRecord } from '../record-store';
import { RecentMap } from './recent-map';
import { getData, sync } from './wire-calls';
import { memoOf, recordOf } from './znode-texts';
import type { ZookeeperLayout } from './zookeeper-layout';
import type { ZookeeperLines } from './zookeeper-line';

/** A znode as it was last seen: which version of it, and what stands in it. */
export interface Known<T> {
  /** Null: there is no such znode. */
  version: number | null;
  /** Null: nothing, whether or not there is a znode. */
  stands: T | null;
}

const WEIGHT_OF_RECORDS = 32_000_000;
const WEIGHT_OF_MEMOS = 16_000_000;
const WEIGHT_OF_ONE = 300;

/**
 * Which version of a znode it was that held a rev and writer: a swap compares versions, and its caller knows only the
 * latter. Remembered from reads and swaps; what is remembered may only be offered to ZooKeeper for comparison.
 */
export class KnownZnodes {
  private readonly records = new RecentMap<Known<StoredRecord>>(WEIGHT_OF_RECORDS);
  private readonly memos = new RecentMap<Known<Memo>>(WEIGHT_OF_MEMOS);
  /** Counts how often all was forgotten: an answer to a question of before must not be remembered. */
  private age = 0;

  record(id: string): Known<StoredRecord> | undefined {
    return this.records.get(id);
  }

  memo(key: string): Known<Memo> | undefined {
    return this.memos.get(key);
  }

  noteRecord(id: string, known: Known<StoredRecord>): void {
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
   * Reads what stands now: never older than anything that was answered to anybody before this call.
   *
   * @throws StoreError
   */
  async read(
    session: ZookeeperLines,
    layout: ZookeeperLayout,
    ids: string[],
    memoKeys: string[],
  ): Promise<{ records: Known<StoredRecord>[]; memos: Known<Memo>[] }> {
    const connection = await session.connected();
    const { age } = this;
    const synced = connection.ask(sync(layout.tick));
    const records = ids.map((id) => connection.ask(getData(layout.record(id))));
    const memos = memoKeys.map((key) => connection.ask(getData(layout.memo(key))));
    const [, readRecords, readMemos] = await Promise.all([
      synced,
      Promise.all(records),
      Promise.all(memos),
      connection.prove(),
    ]);
    const result = {
      records: readRecords.map((node) => known(node, recordOf)),
      memos: readMemos.map((node) => known(node, memoOf)),
    };
    if (age === this.age) {
      for (const [i, record] of result.records.entries()) this.noteRecord(ids[i] ?? '', record);
      for (const [i, memo] of result.memos.entries()) this.noteMemo(memoKeys[i] ?? '', memo);
    }
    return result;
  }
}

function known<T>(
  node: { data: Buffer; stat: { version: number; mtime: number } } | null,
  parse: (data: Buffer, writtenAt: number) => T | null,
): Known<T> {
  if (node === null) return { version: null, stands: null };
  return { version: node.stat.version, stands: parse(node.data, node.stat.mtime) };
}
