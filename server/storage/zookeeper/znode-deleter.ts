import { recordId } from '../record-id';
import { type ObsoleteRecord, StoreError } from '../record-store';
import type { ConnectionProvider } from './client/guarded-connection';
import { ANY_VERSION, getChildren, type Step } from './client/wire-calls';
import type { HistoryChunks } from './history-chunks';
import type { ZnodeCache } from './znode-cache';
import type { ZookeeperLayout } from './zookeeper-layout';

const BATCH_SIZE = 200;
const ROUNDS_MAX = 5;

/**
 * Removes records and answers that are no longer needed. Every removal of a record ends the
 * generation.
 */
export class ZnodeDeleter {
  /** Until when the answers seen live at least, by key: their lives are never shortened. */
  private aliveUntil = new Map<string, number>();

  constructor(
    private readonly session: ConnectionProvider,
    private readonly layout: ZookeeperLayout,
    private readonly znodes: ZnodeCache,
    private readonly chunks: HistoryChunks,
  ) {}

  /**
   * Deletes records still at this rev and writer, if the leader's clock has certainly come far
   * enough; returns for each whether this call deleted it. The clock is read before the write: it
   * can only have advanced by then.
   *
   * @throws StoreError `unknown` even if some are certainly deleted
   */
  async deleteRecords(records: ObsoleteRecord[]): Promise<boolean[]> {
    const deleted: boolean[] = [];
    for (let i = 0; i < records.length; i += BATCH_SIZE) {
      const some = this.deleteBatch(records.slice(i, i + BATCH_SIZE));
      deleted.push(...(await (deleted.includes(true) ? unknownOnFailure(some) : some)));
    }
    return deleted;
  }

  /** Removes expired answers. */
  async deleteExpiredAnswers(): Promise<void> {
    const now = this.session.earliest();
    const keys = await this.listAnswerKeys();
    const known = this.aliveUntil;
    this.aliveUntil = new Map();
    for (const key of keys) {
      const until = known.get(key);
      if (until !== undefined) this.aliveUntil.set(key, until);
    }
    const doubtful = keys.filter((key) => (known.get(key) ?? 0) < now);
    for (let i = 0; i < doubtful.length; i += BATCH_SIZE) {
      await this.deleteAnswers(doubtful.slice(i, i + BATCH_SIZE), now);
    }
  }

  private async deleteBatch(records: ObsoleteRecord[]): Promise<boolean[]> {
    const ids = records.map(({ key }) => recordId(key));
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const { generation } = this.session;
      const read = await this.znodes.read(this.session, this.layout, ids, []);
      const now = this.session.earliest();
      const gone = read.records.flatMap(({ version, content, children }, i) => {
        const { rev, writer, notBefore = 0 } = records[i] ?? {};
        if (version === null || content?.rev !== rev || content?.writer !== writer) return [];
        return now < notBefore ? [] : [{ id: ids[i] ?? '', version, children }];
      });
      if (gone.length === 0) break;
      const steps = gone.flatMap(({ id, version, children }): Step[] => [
        ...children.map((name) => deleteStep(this.layout.queue(id, name), ANY_VERSION)),
        deleteStep(this.layout.record(id), version),
      ]);
      const end = this.chunks.newGeneration(generation);
      const { took } = await this.session.write([end, ...steps], generation);
      const refreshed = this.session.refreshGeneration();
      await (took ? unknownOnFailure(refreshed) : refreshed);
      if (took) {
        const goneIds = new Set(gone.map(({ id }) => id));
        return ids.map((id) => goneIds.has(id));
      }
      for (const id of ids) this.znodes.dropRecord(id);
    }
    return ids.map(() => false);
  }

  private async listAnswerKeys(): Promise<string[]> {
    const connection = await this.session.connected();
    const buckets = this.layout.memoBuckets();
    const lists = await Promise.all(buckets.map((bucket) => connection.ask(getChildren(bucket))));
    const names = lists.flatMap((list) => list?.names ?? []);
    return names.map((name) => Buffer.from(name, 'base64url').toString('utf8'));
  }

  /** An answer that was extended meanwhile stays: its version is another. */
  private async deleteAnswers(keys: string[], now: number): Promise<void> {
    const { generation } = this.session;
    const { memos } = await this.znodes.read(this.session, this.layout, [], keys);
    const removals = memos.map(async ({ version, content }, i) => {
      const key = keys[i] ?? '';
      if (version === null) return;
      if (content && content.expiresAt >= now) {
        this.aliveUntil.set(key, content.expiresAt);
        return;
      }
      const removed = [deleteStep(this.layout.memo(key), version)];
      const { took } = await this.session.write(removed, generation);
      if (took) this.znodes.dropMemo(key);
    });
    await Promise.all(removals);
  }
}

/**
 * What follows an applied removal: if it fails, the outcome counts as unknown, since something was
 * applied.
 */
async function unknownOnFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const text = 'ZooKeeper took a deletion and failed before the end of it.';
    throw new StoreError(text, 'unknown', { cause });
  }
}

const deleteStep = (path: string, version: number): Step => ({ kind: 'delete', path, version });
