import type { Redis } from 'ioredis';
import { STORE_CALL_MAX_MS } from '../../core/timing';
import { Periodic } from '../../platform/periodic';
import { TimeLimit } from '../../platform/time-limit';
import { decodeInTurns } from '../codec/decode-in-turns';
import type { StoreIncarnation } from '../incarnation/store-incarnation';
import { idRange, recordId, recordKey } from '../record-id';
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
import { type Admitted, admissionArgs, readRecords, swapRecords } from './redis-calls';
import { requireList, versionPrefix } from './redis-codec';
import { type OpenDriver, RedisConnection } from './redis-connection';
import { flushesEveryWrite, readRedisFacts, refusalOf, serverRunOf } from './redis-facts';
import { redisGuarantees } from './redis-guarantees';
import { RedisGuard } from './redis-guard';
import { DELETE_RECORDS, HEARTBEAT, KEYS } from './redis-script';

const HEARTBEAT_MS = 1_000;

/** How long a reading of the settings waits for the control database. */
const ROW_MAX_MS = 1_000;

/** History entries removed per batch. */
const PRUNE_ENTRIES = 500;

interface StoreOptions {
  /** How long a call may take. */
  callMaxMs?: number | undefined;
  /** How often it writes a heartbeat and reads the settings. */
  heartbeatMs?: number | undefined;
  /** Makes the driver of each connection; the simulator's leads to a simulated server. */
  openDriver?: OpenDriver;
}

/**
 * Records in one Redis: one script per call, over one connection. Lost data is never taken for data
 * that was never written: see `RedisGuard`.
 */
export class RedisStore implements RecordStore, HistorySource {
  readonly costsPerRecord = true;
  readonly testsAnswers = true;
  settingsRev = 0;
  /** Why no lock may be granted there, as of the last heartbeat. */
  private refusal: string | null = null;
  private readonly connection: RedisConnection<Admitted>;
  private readonly heartbeat: Periodic;

  /**
   * @param url `redis://user:password@host:port/number`, `rediss:` with TLS
   * @param incarnation what the control database knows of this store
   */
  constructor(
    url: string,
    private readonly incarnation: StoreIncarnation,
    { callMaxMs = STORE_CALL_MAX_MS, heartbeatMs = HEARTBEAT_MS, openDriver }: StoreOptions = {},
  ) {
    const guard = new RedisGuard(incarnation);
    this.connection = new RedisConnection(url, callMaxMs, guard, openDriver);
    this.heartbeat = new Periodic({
      job: 'write a heartbeat to Redis',
      everyMs: heartbeatMs,
      // A failure shows in the calls, and must not delay the next heartbeat.
      run: () => this.writeHeartbeat().catch(() => undefined),
    }).start();
  }

  read(keys: RecordKey[], requestKeys: string[]): Promise<ReadResult> {
    return this.ask((redis, admitted) => readRecords(redis, admitted, keys, requestKeys));
  }

  swap(changes: Change[]): Promise<SwapResult[]> {
    return this.swapped(changes, 'each');
  }

  swapAll(changes: Change[]): Promise<SwapResult[]> {
    return this.swapped(changes, 'all');
  }

  scan({ namespace, after }: Cursor, limit: number): Promise<Page> {
    const [from, to] = namespace === null ? ['-', '+'] : bounds(idRange(namespace));
    const begin = after ? `(${recordId(after)}` : from;
    return this.ask(async (redis, admitted) => {
      const ids = await redis.zrangebylex(KEYS.ids, begin, to, 'LIMIT', 0, limit);
      const found = ids.map(recordKey);
      const { records } = await readRecords(redis, admitted, found, []);
      const last = found.length === limit ? found.at(-1) : undefined;
      return {
        records: records.filter(({ record }) => record !== null),
        next: last ? { namespace, after: last } : null,
      };
    });
  }

  async deleteRecords(records: ObsoleteRecord[]): Promise<boolean[]> {
    if (records.length === 0) return [];
    const asked = records.flatMap((record) => [
      recordId(record.key),
      versionPrefix(record),
      Math.min(record.notBefore ?? 0, Number.MAX_SAFE_INTEGER),
    ]);
    const gone = await this.connection.call((redis, admitted) =>
      DELETE_RECORDS.run(redis, [...admissionArgs(admitted), records.length, ...asked]),
    );
    return (gone as number[]).map((count) => count === 1);
  }

  /** Does nothing: Redis itself removes expired answers. */
  async deleteExpiredAnswers(): Promise<void> {}

  historyAfter(position: number, limit: number): Promise<HistoryRow[]> {
    return this.history(`(${position}-0`, '+', limit);
  }

  /** Reads one range: entries become visible in order, so few missing ids are asked for. */
  async historyOf(ids: number[]): Promise<HistoryRow[]> {
    if (ids.length === 0) return [];
    const requested = new Set(ids);
    const rows = await this.history(`${Math.min(...ids)}-0`, `${Math.max(...ids)}-0`, ids.length);
    return rows.filter(({ id }) => requested.has(id));
  }

  historyEnd(): Promise<number> {
    return this.ask(async (redis) => Number(await redis.hget(KEYS.marker, 'history')));
  }

  pruneHistory(position: number, before: number): Promise<number> {
    return this.connection.call(async (redis) => {
      const entries = await redis.xrange(
        KEYS.history,
        '-',
        `${position}-0`,
        'COUNT',
        PRUNE_ENTRIES,
      );
      const last = entries.map(historyRow).findLast(({ at }) => at < before);
      return last ? redis.xtrim(KEYS.history, 'MINID', `${last.id + 1}-0`) : 0;
    });
  }

  /**
   * Reads the settings over a connection of its own, even if no lock may be stored there. While the
   * control database does not respond, the run is as durable as it was when last read.
   */
  guarantees(): Promise<Guarantees> {
    return this.connection.queryUnguarded(async (redis) => {
      const late = () => new Error('The control database did not answer.');
      const row = TimeLimit.within(ROW_MAX_MS, late, this.incarnation.read());
      const { isDurable } = await row.catch(() => this.incarnation);
      return redisGuarantees(await readRedisFacts(redis), isDurable);
    });
  }

  async close(): Promise<void> {
    const stopped = this.heartbeat.stop();
    this.connection.close();
    await stopped;
  }

  /** The longest lease is recorded permanently before the first hold with it is written. */
  private async swapped(changes: Change[], how: 'each' | 'all'): Promise<SwapResult[]> {
    await this.incarnation.recordMaxLease(changes);
    return this.connection.call(async (redis, admitted) => {
      if (!admitted.isDurable) return swapRecords(redis, admitted, changes, how);
      let flushes = Promise.resolve(true);
      const results = await swapRecords(redis, admitted, changes, how, () => {
        flushes = flushesEveryWrite(redis);
        flushes.catch(() => undefined);
      });
      if (!(await flushes.catch(unanswered))) await this.markRunNotDurable(admitted);
      return results;
    });
  }

  /**
   * From now on a restart of this server is a data loss, since it may lose what is written. Await
   * this before the write that revealed it is answered.
   */
  private async markRunNotDurable(admitted: Admitted): Promise<void> {
    await this.incarnation
      .markRunNotDurable(admitted.incarnation, admitted.runId)
      .catch((cause) => {
        throw new StoreError('The control database is not responding.', 'unknown', { cause });
      });
    admitted.isDurable = false;
  }

  private async history(from: string, to: string, limit: number): Promise<HistoryRow[]> {
    const entries = await this.ask((redis) => redis.xrange(KEYS.history, from, to, 'COUNT', limit));
    return decodeInTurns(entries.map(historyRow));
  }

  /** A call that only reads: if it fails, nothing was applied. */
  private async ask<T>(work: (redis: Redis, admitted: Admitted) => Promise<T>): Promise<T> {
    try {
      return await this.connection.call(work);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const { message, cause, refusal } = error;
      throw new StoreError(message, 'no', { cause, refusal });
    }
  }

  /** Writes to Redis first, then to the control database, so that older data can be recognised. */
  private async writeHeartbeat(): Promise<void> {
    const { incarnation, heartbeat, hasLost } = await this.connection.call(
      async (redis, admitted) => {
        const reply = await HEARTBEAT.run(redis, admissionArgs(admitted));
        const [beat, now] = requireList(reply, 2);
        admitted.heartbeat = Number(beat);
        const facts = await readRedisFacts(redis);
        this.noteRefusal(refusalOf(facts));
        if (admitted.isDurable && !serverRunOf(facts).isDurable)
          await this.markRunNotDurable(admitted);
        const hasEvicted = facts.evictedKeys > admitted.evictedKeys;
        const isBack = this.refusal === null && this.incarnation.isClockSetBack(Number(now));
        return { ...admitted, hasLost: hasEvicted || isBack };
      },
    );
    const isCurrent = await this.incarnation.recordHeartbeat(incarnation, heartbeat);
    if (hasLost || !isCurrent) this.connection.recheck();
  }

  private noteRefusal(refusal: string | null): void {
    if (refusal !== this.refusal) this.settingsRev += 1;
    this.refusal = refusal;
  }
}

/** The range of `ZRANGEBYLEX` from the first id up to the second, exclusive. */
function bounds([from, to]: [string, string]): [string, string] {
  return [`[${from}`, `(${to}`];
}

function historyRow([id, fields]: [string, string[]]) {
  const [, at, , changes = '[]', , took = ''] = fields;
  return { id: Number.parseInt(id, 10), at: Number(at), changes, took };
}

/** The swap before the query was applied, even if the query failed. */
function unanswered(cause: unknown): never {
  throw new StoreError('Redis did not answer whether it flushes every write.', 'unknown', {
    cause,
  });
}
