import { recordMaxLease } from '../incarnation/record-max-lease';
import type { StoreIncarnation } from '../incarnation/store-incarnation';
import { recordId } from '../record-id';
import type {
  Change,
  Cursor,
  Guarantees,
  HistoryRow,
  HistorySource,
  ObsoleteRecord,
  Page,
  ReadResult,
  RecordKey,
  RecordStore,
  SwapResult,
} from '../record-store';
import { LIMITS, type ZookeeperLimits } from './client/zookeeper-limits';
import { asStoreError, ZookeeperSession } from './client/zookeeper-session';
import type { ServerAddress } from './client/zookeeper-socket';
import { readZookeeperFacts } from './guard/zookeeper-facts';
import { zookeeperGuarantees } from './guard/zookeeper-guarantees';
import { ZookeeperGuard } from './guard/zookeeper-guard';
import { HistoryChunks } from './history-chunks';
import { RecordScan } from './record-scan';
import { type SwapUnit, swapUnit } from './swap-unit';
import { ZnodeCache } from './znode-cache';
import { ZnodeDeleter } from './znode-deleter';
import { ZookeeperLayout } from './zookeeper-layout';
import { ZookeeperSwap } from './zookeeper-swap';

export interface ZookeeperLocation {
  servers: ServerAddress[];
  /** The znode that contains everything, without a slash at its end; created if it is absent. */
  root: string;
}

/**
 * Records in versioned persistent znodes. Each swap is a `multi` that compares versions; whether it
 * was in time is decided by the instant that ZooKeeper records in the same step, see
 * `encodeWindowed`.
 *
 * `read().now` is the earliest that the leader's clock can show, so a lease counts as expired only
 * when it certainly is; `swap().now` is the instant of the write. Lost data is never taken for data
 * that was never written: see `ZookeeperGuard`.
 */
export class ZookeeperStore implements RecordStore, HistorySource {
  readonly estimatesClock = true;
  private readonly walk: RecordScan;
  private readonly forgetting: ZnodeDeleter;
  private readonly chunks: HistoryChunks;

  private constructor(
    private readonly place: ZookeeperLocation,
    private readonly life: StoreIncarnation,
    private readonly session: ZookeeperSession,
    private readonly layout: ZookeeperLayout,
    private readonly znodes: ZnodeCache,
    private readonly limits: ZookeeperLimits,
    private readonly monotonic: () => number,
  ) {
    this.chunks = new HistoryChunks(session, layout, limits.rowsPerChunk);
    this.walk = new RecordScan(session, layout, znodes);
    this.forgetting = new ZnodeDeleter(session, layout, znodes, this.chunks);
  }

  /**
   * @param life what the control database knows of this store
   * @param monotonic this process's monotonic clock
   * @throws StoreError if no server responds or admits us
   */
  static async open(
    place: ZookeeperLocation,
    life: StoreIncarnation,
    monotonic: () => number,
    limits = LIMITS,
  ): Promise<ZookeeperStore> {
    const layout = new ZookeeperLayout(place.root);
    const znodes = new ZnodeCache();
    const forgetAll = () => znodes.dropAll();
    const guard = new ZookeeperGuard(life, limits);
    const { servers } = place;
    const session = await ZookeeperSession.open(servers, layout, guard, monotonic, forgetAll);
    return new ZookeeperStore(place, life, session, layout, znodes, limits, monotonic);
  }

  async read(keys: RecordKey[], requestKeys: string[]): Promise<ReadResult> {
    const { session, layout, znodes } = this;
    const ids = keys.map(recordId);
    const { records, memos } = await surely(znodes.read(session, layout, ids, requestKeys));
    const now = session.earliest();
    return {
      records: keys.map((key, i) => ({ key, record: records[i]?.content ?? null, now })),
      memos: memos.flatMap(({ content }) => content ?? []),
    };
  }

  swap(changes: Change[]): Promise<SwapResult[]> {
    return this.run(changes.map((change) => swapUnit([change])));
  }

  async swapAll(changes: Change[]): Promise<SwapResult[]> {
    return changes.length === 0 ? [] : this.run([swapUnit(changes)]);
  }

  scan(cursor: Cursor, limit: number): Promise<Page> {
    return surely(this.walk.page(cursor, limit));
  }

  async deleteRecords(records: ObsoleteRecord[]): Promise<boolean[]> {
    const forgotten = await surely(this.forgetting.deleteRecords(records));
    const tidied = surely(this.forgetting.deleteExpiredAnswers());
    // The records are deleted even if removing the answers fails; the next call removes those left.
    await (records.length > 0 ? tidied.catch(() => undefined) : tidied);
    return forgotten;
  }

  historyAfter(position: number, limit: number): Promise<HistoryRow[]> {
    return surely(this.chunks.historyAfter(position, limit));
  }

  historyOf(ids: number[]): Promise<HistoryRow[]> {
    return surely(this.chunks.historyOf(ids));
  }

  historyEnd(): Promise<number> {
    return surely(this.chunks.historyEnd());
  }

  pruneHistory(position: number, before: number): Promise<number> {
    return surely(this.chunks.pruneHistory(position, before));
  }

  async guarantees(): Promise<Guarantees> {
    return zookeeperGuarantees(await readZookeeperFacts(this.place.servers));
  }

  async close(): Promise<void> {
    this.session.close();
  }

  private async run(units: SwapUnit[]): Promise<SwapResult[]> {
    const { session, layout, znodes, chunks, limits, monotonic } = this;
    await recordMaxLease(
      this.life,
      units.flatMap(({ changes }) => changes),
    );
    const means = { session, layout, znodes, chunks, limits, monotonic };
    return surely(new ZookeeperSwap(means).run(units));
  }
}

/** Turns every failure into a `StoreError`. */
async function surely<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asStoreError(error);
  }
}
