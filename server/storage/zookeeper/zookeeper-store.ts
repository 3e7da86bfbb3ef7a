import type { ZookeeperUrl } from '../../../db/urls/zookeeper-url';
import { systemClock } from '../../platform/clock';
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
import type { ServerAddress } from './client/zookeeper-connection';
import { asStoreError, ZookeeperSession } from './client/zookeeper-session';
import { readZookeeperFacts } from './guard/zookeeper-facts';
import { zookeeperGuarantees } from './guard/zookeeper-guarantees';
import { ZookeeperGuard } from './guard/zookeeper-guard';
import { HistoryChunks } from './history-chunks';
import { RecordScan } from './record-scan';
import { type SwapUnit, swapUnit } from './swap-unit';
import { ZnodeCache } from './znode-cache';
import { ZnodeDeleter } from './znode-deleter';
import { LIMITS, ZookeeperLayout, type ZookeeperLimits } from './zookeeper-layout';
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
  readonly costsPerRecord = true;
  readonly estimatesClock = true;
  private readonly records: RecordScan;
  private readonly deleter: ZnodeDeleter;
  private readonly chunks: HistoryChunks;

  private constructor(
    private readonly servers: ServerAddress[],
    private readonly incarnation: StoreIncarnation,
    private readonly session: ZookeeperSession,
    private readonly cache: ZnodeCache,
    private readonly limits: ZookeeperLimits,
  ) {
    this.chunks = new HistoryChunks(session, limits.rowsPerChunk);
    this.records = new RecordScan(session, cache);
    this.deleter = new ZnodeDeleter(session, cache, this.chunks);
  }

  /**
   * @param incarnation what the control database knows of this store
   * @param monotonic this process's monotonic clock
   * @param answerMaxMs as `ZookeeperSession.open` takes it
   * @throws StoreError if no server responds or admits us
   */
  static async open(
    { servers, root }: ZookeeperLocation,
    incarnation: StoreIncarnation,
    monotonic: () => number,
    limits = LIMITS,
    answerMaxMs?: number,
  ): Promise<ZookeeperStore> {
    const layout = new ZookeeperLayout(root);
    const cache = new ZnodeCache();
    const guard = new ZookeeperGuard(incarnation, limits);
    const opening = ZookeeperSession.open(servers, layout, guard, monotonic, cache, answerMaxMs);
    const session = await opening;
    return new ZookeeperStore(servers, incarnation, session, cache, limits);
  }

  async read(keys: RecordKey[], requestKeys: string[]): Promise<ReadResult> {
    const ids = keys.map(recordId);
    const read = this.cache.read(this.session, ids, requestKeys);
    const { records, answers } = await surely(read);
    const now = this.session.earliest();
    return {
      records: keys.map((key, i) => ({ key, record: records[i]?.content ?? null, now })),
      storedAnswers: answers.flatMap(({ content }) => content ?? []),
    };
  }

  swap(changes: Change[]): Promise<SwapResult[]> {
    return this.run(changes.map((change) => swapUnit([change])));
  }

  async swapAll(changes: Change[]): Promise<SwapResult[]> {
    return changes.length === 0 ? [] : this.run([swapUnit(changes)]);
  }

  scan(cursor: Cursor, limit: number): Promise<Page> {
    return surely(this.records.page(cursor, limit));
  }

  deleteRecords(records: ObsoleteRecord[]): Promise<boolean[]> {
    return surely(this.deleter.deleteRecords(records));
  }

  deleteExpiredAnswers(): Promise<void> {
    return surely(this.deleter.deleteExpiredAnswers());
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
    return zookeeperGuarantees(await readZookeeperFacts(this.servers));
  }

  async close(): Promise<void> {
    this.session.close();
  }

  private async run(units: SwapUnit[]): Promise<SwapResult[]> {
    const { session, cache, chunks, limits } = this;
    await this.incarnation.recordMaxLease(units.flatMap(({ changes }) => changes));
    return surely(new ZookeeperSwap(session, cache, chunks, limits).run(units));
  }
}

/**
 * Opens the store at a URL and creates its znodes.
 *
 * @param incarnation what the control database knows of this store
 * @throws StoreError if no server answers
 */
export function openZookeeperStore(
  { servers, credentials, tls, root }: ZookeeperUrl,
  incarnation: StoreIncarnation,
): Promise<ZookeeperStore> {
  const location = { servers: servers.map((server) => ({ ...server, credentials, tls })), root };
  return ZookeeperStore.open(location, incarnation, () => systemClock.monotonic());
}

/** Turns every failure into a `StoreError`. */
async function surely<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asStoreError(error);
  }
}
