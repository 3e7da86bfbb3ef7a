import { STORE_CALL_MAX_MS } from '../../core/timing';
import { appliedResult } from '../applied-result';
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
import { historyRows, pageOf, recordsById, storedAnswers } from '../sql-rows';
import { failedWith, PACKET_TOO_LARGE } from './mysql-connection';
import { MysqlConnections } from './mysql-connections';
import { readMysqlFacts } from './mysql-facts';
import { mysqlGuarantees } from './mysql-guarantees';
import type { MysqlServer } from './mysql-server';
import { deletePacket } from './packets/delete-packet';
import { GUARD_FAILED, VALUE_MISSING } from './packets/guard';
import { judgedSwap } from './packets/judged-swap';
import type { FoundRecord, Packet, PacketOutcome, Rows } from './packets/packet';
import { readPacket } from './packets/read-packet';
import { bytes, CLOCK, idList } from './packets/sql-text';
import { swapAllPacket, swapPacket } from './packets/swap-packet';

/** How long reading the settings may take, connecting included. */
const GUARANTEES_TIMEOUT_MS = 3_000;

/** Stored answers deleted per batch. */
const DELETED_ANSWERS = 5_000;

/** History rows examined per batch: after the oldest there may be millions that are young. */
const PRUNE_ROWS = 1_000;

export interface MysqlStoreOptions {
  /** How long a packet may take. */
  callMaxMs?: number | undefined;
  /** For a shard: without its stamp nothing is changed, and no read is answered. Null: no shard. */
  fence?: EpochFence | null;
  /** False: swaps as on a server without `INSERT … RETURNING`. */
  usesReturning?: boolean;
}

/** Records in MySQL or MariaDB: one primary, InnoDB. One packet per call. */
export class MysqlStore implements RecordStore, HistorySource {
  readonly testsAnswers = true;
  private readonly connections: MysqlConnections;

  private readonly fence: EpochFence | null;
  private readonly usesReturning: boolean;

  /** @param uri `mysql://user:password@host:port/database` */
  constructor(
    private readonly uri: string,
    { callMaxMs = STORE_CALL_MAX_MS, fence = null, usesReturning = true }: MysqlStoreOptions = {},
  ) {
    this.connections = new MysqlConnections(uri, callMaxMs);
    this.fence = fence;
    this.usesReturning = usesReturning;
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
      storedAnswers: storedAnswers(listOf(answers)),
    };
  }

  async swap(changes: Change[]): Promise<SwapResult[]> {
    try {
      const outcome = await this.applyTimely(changes);
      return await this.resultsOf(changes, outcome);
    } catch (error) {
      if (!failedWith(error, PACKET_TOO_LARGE)) throw error;
      return splitOversizeSwap(this, changes, 'each');
    }
  }

  async swapAll(changes: Change[]): Promise<SwapResult[]> {
    try {
      const outcome = await this.change((server) => swapAllPacket(changes, this.mayReturn(server)));
      return await this.resultsOf(changes, outcome);
    } catch (error) {
      if (failedWith(error, PACKET_TOO_LARGE)) return splitOversizeSwap(this, changes, 'all');
      if (!failedWith(error, GUARD_FAILED, VALUE_MISSING)) throw error;
    }
    const { records } = await this.read(
      changes.map((change) => change.key),
      [],
    );
    return records.map(({ record, now }) => lost(record, now));
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
    const { packet, indexes } = deletePacket(records);
    const counts = await this.change(() => ({ statements: packet, read: affectedRows }));
    const isDeleted = records.map(() => false);
    // The first statement begins the transaction.
    for (const [i, index] of indexes.entries()) isDeleted[index] = counts[i + 1] === 1;
    return isDeleted;
  }

  async deleteExpiredAnswers(): Promise<void> {
    const expired = [
      // A comparison with the clock's expression itself would use no index.
      `SET @now = ${CLOCK}`,
      `DELETE FROM lock_requests WHERE expires_at < @now LIMIT ${DELETED_ANSWERS}`,
    ];
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
    const oldest =
      `SELECT id FROM lock_history WHERE id <= ${Math.floor(position)} ORDER BY id LIMIT ` +
      `${PRUNE_ROWS}`;
    return this.deleted([
      `SET @last = (SELECT MAX(id) FROM (${oldest}) oldest)`,
      `DELETE FROM lock_history WHERE id <= @last AND at < ${Math.floor(before)}`,
    ]);
  }

  async guarantees(): Promise<Guarantees> {
    return mysqlGuarantees(await readMysqlFacts(this.uri, GUARANTEES_TIMEOUT_MS));
  }

  async close(): Promise<void> {
    this.connections.close();
  }

  /** The stamp that this shard must carry; null for a store that is no shard. */
  private stamp(): string | null {
    if (!this.fence) return null;
    if (this.fence.stamp === null) throw notServed();
    return this.fence.stamp;
  }

  private mayReturn({ hasReturning }: MysqlServer): boolean {
    return this.usesReturning && hasReturning;
  }

  /** Applies all changes in the window that they share; if that fails, each in its own window. */
  private async applyTimely(changes: Change[]): Promise<PacketOutcome> {
    try {
      return await this.change((server) => swapPacket(changes, this.mayReturn(server)));
    } catch (error) {
      if (!failedWith(error, GUARD_FAILED, VALUE_MISSING)) throw error;
      return this.change(() => judgedSwap(changes));
    }
  }

  private async resultsOf(changes: Change[], outcome: PacketOutcome): Promise<SwapResult[]> {
    const { applied, historyId } = outcome;
    const others = changes.filter(({ writer }) => !applied.has(writer));
    const { found, now } = await this.completed(outcome, others);
    return changes.map((change) =>
      applied.has(change.writer)
        ? appliedResult(change, now, historyId)
        : lost(found.get(recordId(change.key)) ?? null, now),
    );
  }

  private async change<T>(write: (server: MysqlServer) => Packet<T>): Promise<T> {
    const stamp = this.stamp();
    return this.connections.exchange((server) => {
      const packet = write(server);
      if (stamp === null) return packet;
      const { statements, read } = packet;
      // The fence adds statements after the first: the packet's own answers come last.
      const readOwn = (answers: Rows[]) => read(answers.slice(-statements.length));
      return { statements: fencedSwap(statements, stamp), read: readOwn };
    });
  }

  private async history(which: string): Promise<HistoryRow[]> {
    const [rows = []] = await this.ask([
      `SELECT id, at, changes, took FROM lock_history WHERE ${which}`,
    ]);
    return historyRows(rows);
  }

  /** Runs statements, the last of which deletes; returns how many rows were deleted. */
  private async deleted(statements: string[]): Promise<number> {
    return affectedRows(await this.packet(statements)).at(-1) ?? 0;
  }

  /**
   * Completes an outcome with a clock and the records that the other changes found. If the swap did
   * not read these, they are read now, with the clock; a record may then be newer than the winner.
   */
  private async completed(
    { now, found }: PacketOutcome,
    others: Change[],
  ): Promise<{ now: number; found: ReadonlyMap<string, FoundRecord> }> {
    if (now !== null && found) return { now, found };
    if (now !== null && others.length === 0) return { now, found: new Map() };
    const ids = idList(others.map((change) => change.key));
    const sql = `SELECT id, rev, writer, head, queue FROM locks WHERE id IN (${ids})`;
    const [rows = [], clock] = await this.packet([sql, `SELECT ${CLOCK}`]).catch((cause) => {
      throw new StoreError(
        'The database applied a swap but did not report the result of each change.',
        'unknown',
        {
          cause,
        },
      );
    });
    return { now: Number(clock?.[0]?.[0]), found: found ?? recordsById(rows) };
  }

  /** A packet that only reads: if it fails, nothing was applied. */
  private async ask(statements: string[]): Promise<Rows[]> {
    try {
      return await this.packet(statements);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const { message, cause, retryable, refusal } = error;
      throw new StoreError(message, 'no', { cause, retryable, refusal });
    }
  }

  private packet(statements: string[]): Promise<Rows[]> {
    return this.connections.exchange(() => ({ statements, read: (answers) => answers }));
  }
}

/** @param record what was found in place of what the change expects */
function lost(record: FoundRecord | null, now: number): SwapResult {
  if (!record) return { applied: false, now, current: null };
  const { rev, writer, head, queue } = record;
  const result = { applied: false, now, current: { rev, writer } };
  if (head === undefined || queue === undefined) return result;
  return { ...result, found: { rev, writer, head, queue } };
}

function notServed(): StoreError {
  return new StoreError(
    'This shard serves another list of shards than that of this process.',
    'no',
  );
}

/** How many rows each statement has changed. */
function affectedRows(results: Rows[]): number[] {
  return (results as unknown as { affectedRows: number }[]).map((result) => result.affectedRows);
}

/** The rows of a statement; an empty list for one that returns none. */
function listOf(rows: Rows): Rows {
  return Array.isArray(rows) ? rows : [];
}
