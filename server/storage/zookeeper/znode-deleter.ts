import { recordId } from '../record-id';
import { type ObsoleteRecord, StoreError } from '../record-store';
import type { ConnectionProvider } from './client/guarded-connection';
import { ANY_VERSION, exists, getChildren, type Step } from './client/wire-calls';
import type { HistoryChunks } from './history-chunks';
import type { ZnodeCache } from './znode-cache';

const BATCH_SIZE = 200;
const ROUNDS_MAX = 5;

/** A bucket of answers as it was listed when it had this `pzxid`. */
interface AnswerBucket {
  pzxid: bigint;
  /** By key: the instant before which the answer does not expire; it is never shortened. */
  aliveUntil: Map<string, number>;
}

/**
 * Removes records and answers that are no longer needed. The removal of records begins a new
 * `Generation`.
 */
export class ZnodeDeleter {
  private readonly buckets = new Map<string, AnswerBucket>();
  /** The incarnation in which they were listed. */
  private incarnation: string | null = null;

  constructor(
    private readonly session: ConnectionProvider,
    private readonly cache: ZnodeCache,
    private readonly chunks: HistoryChunks,
  ) {}

  /**
   * Deletes records still at this rev and writer, if the leader's clock has certainly reached
   * `notBefore`; returns for each whether this call deleted it. The clock is read before the write:
   * it can only have advanced by then.
   *
   * @throws StoreError `unknown` even if some are certainly deleted
   */
  async deleteRecords(records: ObsoleteRecord[]): Promise<boolean[]> {
    const deleted: boolean[] = [];
    for (let i = 0; i < records.length; i += BATCH_SIZE) {
      const batch = this.deleteBatch(records.slice(i, i + BATCH_SIZE));
      deleted.push(...(await (deleted.includes(true) ? unknownOnFailure(batch) : batch)));
    }
    return deleted;
  }

  /** Lists the buckets that changed since the last call, and reads what may have expired by now. */
  async deleteExpiredAnswers(): Promise<void> {
    const now = this.session.earliest();
    const buckets = await this.listBuckets();
    const doubtful = buckets.flatMap(({ aliveUntil }) =>
      [...aliveUntil].flatMap(([key, until]) => (until < now ? [{ key, aliveUntil }] : [])),
    );
    for (let i = 0; i < doubtful.length; i += BATCH_SIZE) {
      await this.deleteAnswers(doubtful.slice(i, i + BATCH_SIZE), now);
    }
  }

  private async deleteBatch(records: ObsoleteRecord[]): Promise<boolean[]> {
    const { layout } = this.session;
    const ids = records.map(({ key }) => recordId(key));
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const { generation } = this.session;
      const read = await this.cache.read(this.session, ids, []);
      const now = this.session.earliest();
      const gone = read.records.flatMap(({ version, content, children }, i) => {
        const { rev, writer, notBefore = 0 } = records[i] ?? {};
        if (version === null || content?.rev !== rev || content?.writer !== writer) return [];
        return now < notBefore ? [] : [{ id: ids[i] ?? '', version, children }];
      });
      if (gone.length === 0) break;
      const steps = gone.flatMap(({ id, version, children }): Step[] => [
        ...children.map((name) => deleteStep(layout.queue(id, name), ANY_VERSION)),
        deleteStep(layout.record(id), version),
      ]);
      const end = this.chunks.newGeneration(generation);
      const { applied } = await this.session.write([end, ...steps], generation);
      const refreshed = this.session.refreshGeneration();
      await (applied ? unknownOnFailure(refreshed) : refreshed);
      if (applied) {
        const goneIds = new Set(gone.map(({ id }) => id));
        return ids.map((id) => goneIds.has(id));
      }
      for (const id of ids) this.cache.dropRecord(id);
    }
    return ids.map(() => false);
  }

  private async listBuckets(): Promise<AnswerBucket[]> {
    const connection = await this.session.connected();
    const { incarnation } = this.session.generation;
    if (incarnation !== this.incarnation) this.buckets.clear();
    this.incarnation = incarnation;
    return Promise.all(
      this.session.layout.answerBuckets().map(async (path) => {
        const known = this.buckets.get(path);
        const stat = known && (await connection.ask(exists(path)));
        if (known && known.pzxid === stat?.pzxid) return known;
        const listed = await connection.ask(getChildren(path));
        const keys = (listed?.names ?? []).map((name) =>
          Buffer.from(name, 'base64url').toString('utf8'),
        );
        const aliveUntil = new Map(keys.map((key) => [key, known?.aliveUntil.get(key) ?? 0]));
        const bucket = { pzxid: listed?.stat.pzxid ?? -1n, aliveUntil };
        this.buckets.set(path, bucket);
        return bucket;
      }),
    );
  }

  /** An answer that was extended meanwhile stays: its version has changed. */
  private async deleteAnswers(
    batch: { key: string; aliveUntil: AnswerBucket['aliveUntil'] }[],
    now: number,
  ): Promise<void> {
    const { generation } = this.session;
    const keys = batch.map(({ key }) => key);
    const { answers } = await this.cache.read(this.session, [], keys);
    const removals = batch.map(async ({ key, aliveUntil }, i) => {
      const { version = null, content } = answers[i] ?? {};
      if (version === null) return;
      if (content && content.expiresAt >= now) {
        aliveUntil.set(key, content.expiresAt);
        return;
      }
      const step = deleteStep(this.session.layout.answer(key), version);
      const { applied } = await this.session.write([step], generation);
      if (applied) this.cache.dropAnswer(key);
    });
    await Promise.all(removals);
  }
}

/** For work after an applied deletion: if it fails, the outcome counts as unknown. */
async function unknownOnFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const text = 'ZooKeeper applied a deletion and failed before the next step.';
    throw new StoreError(text, 'unknown', { cause });
  }
}

const deleteStep = (path: string, version: number): Step => ({ kind: 'delete', path, version });
