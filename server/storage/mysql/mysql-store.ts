import { STORE_CALL_MAX_MS } from '../../core/timing';
import { idRange, recordId } from '../record-id';
import {
  type Change,
  type Cursor,
  type Guarantees,
  type HistoryRow,
  type HistorySource,
  type ObsoleteRecord,
  type Page,
  type ReadResult,
  type RecordKey,
  type RecordStore,
  StoreError,
  type SwapResult,
} from '../record-store';
import { type EpochFence, fencedSwap, hasStamp, READ_STAMP } from '../sharding/epoch-fence';
import { splitOversizeSwap } from '../split-oversize-swap';
import { historyRows, pageOf, recordsById, storedAnswers, versionsById } from '../sql-rows';
import { MysqlConnection, PACKET_TOO_LARGE, type Rows } from './mysql-connection';
import { readMysqlFacts } from './mysql-facts';
import { mysqlGuarantees } from './mysql-guarantees';
import {
  bytes,
  CLOCK,
  deletePacket,
  idList,
  NOT_ALL_APPLIED,
  readPacket,
  swapAllPacket,
  swapPacket,
} from './mysql-statements';

/** How long reading the settings may take, connecting included. */
const GUARANTEES_TIMEOUT_MS = 3_000;

/** Packets in flight at once; more would only make the groups smaller. */
const CONNECTIONS = 4;

/** Remembered answers removed per batch. */
const DELETED_ANSWERS = 5_000;

/** History rows removed per batch. */
const PRUNE_ROWS = 1_000;

/** Records in MySQL or MariaDB: one primary, InnoDB. One packet per call. */
export class MysqlStore implements RecordStore, HistorySource {
  private readonly idle: MysqlConnection[];
  private readonly all: MysqlConnection[];
  private readonly queue: ((connection: MysqlConnection) => void)[] = [];

  /**
   * @param uri `mysql://user:password@host:port/database`
   * @param fence for a shard: without its stamp nothing is changed, and no read is answered
   */
  constructor(
    private readonly uri: string,
    private readonly timeoutMs = STORE_CALL_MAX_MS,
    private readonly fence: EpochFence | null = null,
  ) {
    this.all = Array.from({ length: CONNECTIONS }, () => new MysqlConnection(uri, timeoutMs));
    this.idle = [...this.all];
  }

  async read(keys: RecordKey[], requestKeys: string[]): Promise<ReadResult> {
    const stamp = this.stamp();
    const packet = readPacket(keys, requestKeys);
    const results = await this.ask(stamp === null ? packet : [...packet, READ_STAMP]);
    if (stamp !== null && !hasStamp(results, stamp)) throw notServed();
    const [rows = [], answers = [], clock] = results;
    const now = Number(clock?.[0]?.[0]);
    const byId = recordsById(listOf(rows));
    return {
      records: keys.map((key) => ({ key, record: byId.get(recordId(key)) ?? null, now })),
      memos: storedAnswers(listOf(answers)),
    };
  }

  async swap(changes: Change[]): Promise<SwapResult[]> {
    let results: Rows[];
    try {
      results = await this.change(swapPacket(changes));
    } catch (error) {
      if (!failedWith(error, PACKET_TOO_LARGE)) throw error;
      return splitOversizeSwap(this, changes, 'each');
    }
    const [took, now] = results.at(-1)?.[0] ?? [];
    const writers = new Set(String(took ?? '').split(','));
    const lost = changes.filter((change) => !writers.has(change.writer));
    const current = await this.currentOf(lost);
    return changes.map(({ key, rev, writer }) =>
      writers.has(writer)
        ? { applied: true, now: Number(now), current: { rev, writer } }
        : { applied: false, now: Number(now), current: current.get(recordId(key)) ?? null },
    );
  }

  async swapAll(changes: Change[]): Promise<SwapResult[]> {
    try {
      const results = await this.change(swapAllPacket(changes));
      const now = Number(results.at(-1)?.[0]?.[1]);
      return changes.map(({ rev, writer }) => ({ applied: true, now, current: { rev, writer } }));
    } catch (error) {
      if (failedWith(error, PACKET_TOO_LARGE)) return splitOversizeSwap(this, changes, 'all');
      if (!failedWith(error, NOT_ALL_APPLIED)) throw error;
    }
    const { records } = await this.read(
      changes.map((change) => change.key),
      [],
    );
    return records.map(({ record, now }) => ({ applied: false, now, current: record }));
  }

  async scan({ namespace, after }: Cursor, limit: number): Promise<Page> {
    const conditions = [
      ...(after ? [`id > ${bytes(recordId(after))}`] : []),
      ...(namespace === null
        ? []
        : idRange(namespace).map((end, i) => `id ${i === 0 ? '>=' : '<'} ${bytes(end)}`)),
    ];
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const [rows = [], clock] = await this.ask([
      `SELECT id, rev, writer, head, queue FROM locks ${where} ORDER BY id LIMIT ` +
        `${Math.floor(limit)}`,
      `SELECT ${CLOCK}`,
    ]);
    return pageOf(rows, { namespace, limit, now: Number(clock?.[0]?.[0]) });
  }

  async deleteRecords(records: ObsoleteRecord[]): Promise<boolean[]> {
    if (records.length === 0) return [];
    const { packet, places } = deletePacket(records);
    const counts = await this.affected(packet);
    const isDeleted = records.map(() => false);
    // The first statement begins the transaction.
    for (const [i, place] of places.entries()) isDeleted[place] = counts[i + 1] === 1;
    return isDeleted;
  }

  async deleteExpiredAnswers(): Promise<void> {
    const expired = `DELETE FROM lock_requests WHERE expires_at < ${CLOCK} LIMIT ${DELETED_ANSWERS}`;
    while ((await this.deleted(expired)) === DELETED_ANSWERS);
  }

  historyAfter(position: number, limit: number): Promise<HistoryRow[]> {
    return this.history(`id > ${Math.floor(position)} ORDER BY id LIMIT ${Math.floor(limit)}`);
  }

  async historyOf(ids: number[]): Promise<HistoryRow[]> {
    if (ids.length === 0) return [];
    return this.history(`id IN (${ids.map(Math.floor)})`);
  }

  async historyEnd(): Promise<number> {
    const [rows] = await this.ask(['SELECT MAX(id) FROM lock_history']);
    return Number(rows?.[0]?.[0] ?? 0);
  }

  async pruneHistory(position: number, before: number): Promise<number> {
    return this.deleted(
      `DELETE FROM lock_history WHERE id <= ${Math.floor(position)} AND at < ` +
        `${Math.floor(before)} ORDER BY id LIMIT ${PRUNE_ROWS}`,
    );
  }

  async guarantees(): Promise<Guarantees> {
    return mysqlGuarantees(await readMysqlFacts(this.uri, GUARANTEES_TIMEOUT_MS));
  }

  async close(): Promise<void> {
    for (const connection of this.all) connection.close();
  }

  /** The stamp that this shard must carry; null for a store that is no shard. */
  private stamp(): string | null {
    if (!this.fence) return null;
    if (this.fence.stamp === null) throw notServed();
    return this.fence.stamp;
  }

  private async change(packet: string[]): Promise<Rows[]> {
    const stamp = this.stamp();
    return this.packet(stamp === null ? packet : fencedSwap(packet, stamp));
  }

  private async history(which: string): Promise<HistoryRow[]> {
    const [rows = []] = await this.ask([
      `SELECT id, at, changes, took FROM lock_history WHERE ${which}`,
    ]);
    return historyRows(rows);
  }

  /** Runs a deleting statement; returns how many rows were deleted. */
  private async deleted(statement: string): Promise<number> {
    const [rows = 0] = await this.affected([statement]);
    return rows;
  }

  /** How many rows each statement has changed. */
  private async affected(statements: string[]): Promise<number[]> {
    const results = await this.packet(statements);
    return (results as unknown as { affectedRows: number }[]).map(
      ({ affectedRows }) => affectedRows,
    );
  }

  /** What the losers' records are now; read after the swap, so maybe newer than the winner. */
  private async currentOf(
    changes: Change[],
  ): Promise<Map<string, { rev: number; writer: string }>> {
    if (changes.length === 0) return new Map();
    const ids = idList(changes.map((change) => change.key));
    const sql = `SELECT id, rev, writer FROM locks WHERE id IN (${ids})`;
    const [rows = []] = await this.packet([sql]).catch((cause) => {
      throw new StoreError(
        'The database applied a swap and did not answer what became of each change.',
        'unknown',
        {
          cause,
        },
      );
    });
    return versionsById(rows);
  }

  /** A packet that only reads: if it fails, nothing was applied. */
  private async ask(statements: string[]): Promise<Rows[]> {
    try {
      return await this.packet(statements);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const { message, cause, retryable } = error;
      throw new StoreError(message, 'no', { cause, retryable });
    }
  }

  private async packet(statements: string[]): Promise<Rows[]> {
    const connection = this.idle.pop() ?? (await this.nextIdle());
    try {
      return await connection.packet(statements);
    } finally {
      const next = this.queue.shift();
      if (next) next(connection);
      else this.idle.push(connection);
    }
  }

  /** The next idle connection; if there is none in time, rejects before anything is sent. */
  private nextIdle(): Promise<MysqlConnection> {
    return new Promise((resolve, reject) => {
      const take = (connection: MysqlConnection) => {
        clearTimeout(timer);
        resolve(connection);
      };
      const timer = setTimeout(() => {
        this.queue.splice(this.queue.indexOf(take), 1);
        reject(new StoreError('Every connection to the database is busy.', 'no'));
      }, this.timeoutMs / 3);
      this.queue.push(take);
    });
  }
}

function failedWith(error: unknown, errno: number): boolean {
  return error instanceof StoreError && (error.cause as { errno?: number })?.errno === errno;
}

function notServed(): StoreError {
  return new StoreError(
    'This shard does not serve the list of shards that this process has.',
    'no',
  );
}

/** The rows of a statement; an empty list for one that returns none. */
function listOf(rows: Rows): Rows {
  return Array.isArray(rows) ? rows : [];
}
