import { setImmediate } from 'node:timers/promises';
import type { Client, InStatement, ResultSet } from '@libsql/client';
import type { SqliteFile } from '../../../db/sqlite/sqlite-file';
import type { Clock } from '../../platform/clock';
import { appliedResult } from '../applied-result';
import { idRange, isOwnRecord, recordId } from '../record-id';
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
import { historyRows, pageOf, recordsById, storedAnswers, versionsById } from '../sql-rows';
import { CallOverlap } from './call-overlap';
import pruneHistory from './sql/prune-history.sql';
import { identityOf, readSqliteFacts } from './sqlite-facts';
import { sqliteGuarantees } from './sqlite-guarantees';
import { sqliteRefusal } from './sqlite-refusal';
import { historyIdOf, swapStatements } from './swap-statements';

const NEVER = Number.MAX_SAFE_INTEGER;

/** Expired answers deleted in one transaction: the driver blocks this thread meanwhile. */
const DELETED_ANSWERS = 500;

/** The driver rejects integers that JavaScript cannot hold: such a rev is returned as a float. */
const REV = `iif(rev > ${NEVER}, ${NEVER}.0 + 1, rev) rev`;

/** Lists are passed as one JSON parameter, so that every statement is a constant. */
const SQL = {
  read:
    `SELECT id, ${REV}, writer, head, queue FROM locks WHERE id IN (SELECT value FROM ` +
    'json_each(?))',
  readAnswers:
    'SELECT id, input_hash, answer, expires_at FROM lock_requests WHERE id IN (SELECT value ' +
    'FROM json_each(?))',
  scan:
    `SELECT id, ${REV}, writer, head, queue FROM locks WHERE id > ? AND id >= ? AND id < ? ` +
    'ORDER BY id LIMIT ?',
  deleteRecord: 'DELETE FROM locks WHERE id = ? AND rev = ? AND writer = ? AND ? <= ?',
  deleteExpiredAnswers:
    'DELETE FROM lock_requests WHERE rowid IN (SELECT rowid FROM lock_requests WHERE expires_at ' +
    `< ? LIMIT ${DELETED_ANSWERS})`,
  historyAfter: 'SELECT id, at, changes, took FROM lock_history WHERE id > ? ORDER BY id LIMIT ?',
  historyOf:
    'SELECT id, at, changes, took FROM lock_history WHERE id IN (SELECT value FROM json_each(?))',
  historyEnd: 'SELECT coalesce(max(id), 0) AS id FROM lock_history',
  lastInstant: 'SELECT coalesce(max(changed_at), 0) AS at FROM locks',
} as const;

/** Sorts after every id: no UTF-8 text is greater. */
const LAST_ID = '\u{10ffff}';

/**
 * Records in an embedded SQLite file that this process alone has open. Each swap is one
 * transaction, run in its turn in the file's write queue.
 *
 * The clock is the machine's, but never behind an instant that was stored before: if the machine's
 * is set back, it continues from where it was at the monotonic clock's rate. So no lease is
 * revived, and none lasts longer.
 */
export class SqliteStore implements RecordStore, HistorySource {
  readonly isEmbedded = true;
  readonly testsAnswers = true;
  /** The latest instant known to have been reached, and when that was by the monotonic clock. */
  private reached: { instant: number; at: number };
  private readonly calls: CallOverlap;

  private constructor(
    private readonly file: SqliteFile,
    private readonly clock: Clock,
    private readonly identity: string,
    lastInstant: number,
  ) {
    this.reached = { instant: lastInstant, at: clock.monotonic() };
    this.calls = new CallOverlap(() => clock.monotonic());
  }

  static async open(file: SqliteFile, clock: Clock): Promise<SqliteStore> {
    const { rows } = await file.client.execute(SQL.lastInstant);
    return new SqliteStore(file, clock, await identityOf(file), Number(rows[0]?.at ?? 0));
  }

  read(keys: RecordKey[], requestKeys: string[]): Promise<ReadResult> {
    const callers = keys.filter((key) => !isOwnRecord(key)).length;
    return this.calls.during(callers, () => this.readNow(keys, requestKeys));
  }

  private async readNow(keys: RecordKey[], requestKeys: string[]): Promise<ReadResult> {
    const { rows } = await this.ask(SQL.read, [JSON.stringify(keys.map(recordId))]);
    const answers =
      requestKeys.length > 0
        ? (await this.ask(SQL.readAnswers, [JSON.stringify(requestKeys)])).rows
        : [];
    const now = this.now();
    const byId = recordsById(rows);
    return {
      records: keys.map((key) => ({ key, record: byId.get(recordId(key)) ?? null, now })),
      storedAnswers: storedAnswers(answers),
    };
  }

  swap(changes: Change[]): Promise<SwapResult[]> {
    const job = async (client: Client): Promise<SwapResult[]> => {
      const now = this.now();
      const { statements, records } = swapStatements(changes, now);
      const results = await client.batch(statements, 'write');
      const written = results.slice(0, records).reduce((sum, each) => sum + each.rowsAffected, 0);
      const historyId = historyIdOf(changes, results[records]);
      const result = (change: Change) => appliedResult(change, now, historyId);
      if (written === changes.length) return changes.map(result);
      const current = currentOf(await client.execute(currentStatement(changes)));
      return changes.map((change) => {
        const found = current(change);
        const applied = found?.rev === change.rev && found.writer === change.writer;
        return applied ? result(change) : { applied, now, current: found };
      });
    };
    const isAlone = () => this.calls.isAlone();
    return this.calls.during(callersOf(changes), () => this.write(job, isAlone));
  }

  /** Checks and writes in one turn of the file's write queue, so no other write is in between. */
  swapAll(changes: Change[]): Promise<SwapResult[]> {
    const job = async (client: Client): Promise<SwapResult[]> => {
      const now = this.now();
      const current = currentOf(await client.execute(currentStatement(changes)));
      const isWhole = changes.every((change) => isExpected(change, current(change), now));
      if (!isWhole)
        return changes.map((change) => ({ applied: false, now, current: current(change) }));
      const { statements, records } = swapStatements(changes, now);
      const results = await client.batch(statements, 'write');
      const historyId = historyIdOf(changes, results[records]);
      return changes.map((change) => appliedResult(change, now, historyId));
    };
    return this.calls.during(callersOf(changes), () => this.write(job));
  }

  async scan({ namespace, after }: Cursor, limit: number): Promise<Page> {
    const [from, to] = namespace === null ? ['', LAST_ID] : idRange(namespace);
    const args = [after ? recordId(after) : '', from, to, limit];
    const { rows } = await this.ask(SQL.scan, args);
    return pageOf(rows, { namespace, limit, now: this.now() });
  }

  async deleteRecords(records: ObsoleteRecord[]): Promise<boolean[]> {
    if (records.length === 0) return [];
    const results = await this.write((client) => {
      const now = this.now();
      const deletions = records.map(({ key, rev, writer, notBefore = 0 }) => ({
        sql: SQL.deleteRecord,
        args: [recordId(key), rev, writer, Math.min(notBefore, NEVER), now],
      }));
      return client.batch(deletions, 'write');
    });
    return results.map(({ rowsAffected }) => rowsAffected === 1);
  }

  async deleteExpiredAnswers(): Promise<void> {
    const sql = SQL.deleteExpiredAnswers;
    const deleteSome = (client: Client) => client.execute({ sql, args: [this.now()] });
    while ((await this.write(deleteSome)).rowsAffected === DELETED_ANSWERS) await setImmediate();
  }

  historyAfter(position: number, limit: number): Promise<HistoryRow[]> {
    return this.history(SQL.historyAfter, [position, limit]);
  }

  historyOf(ids: number[]): Promise<HistoryRow[]> {
    return this.history(SQL.historyOf, [JSON.stringify(ids)]);
  }

  async historyEnd(): Promise<number> {
    const { rows } = await this.ask(SQL.historyEnd, []);
    return Number(rows[0]?.id ?? 0);
  }

  async pruneHistory(position: number, before: number): Promise<number> {
    const args = [position, before];
    const result = await this.write((client) => client.execute({ sql: pruneHistory, args }));
    return result.rowsAffected;
  }

  async guarantees(): Promise<Guarantees> {
    return sqliteGuarantees(await readSqliteFacts(this.file, this.identity));
  }

  /** The caller that opened the file closes it. */
  async close(): Promise<void> {}

  private async history(sql: string, args: (number | string)[]): Promise<HistoryRow[]> {
    const { rows } = await this.ask(sql, args);
    return historyRows(rows);
  }

  private now(): number {
    const wall = Math.floor(this.clock.now());
    // Read last: if the process is stopped in between, the store's clock is late, never ahead.
    const at = this.clock.monotonic();
    const steady = Math.floor(this.reached.instant + (at - this.reached.at));
    if (wall > steady) this.reached = { instant: wall, at };
    return Math.max(wall, steady);
  }

  /** Reads, and answers once everything read is on the disk: no power cut can undo it. */
  private ask(sql: string, args: (number | string)[]): Promise<ResultSet> {
    return this.run(async () => {
      const found = await this.file.client.execute({ sql, args });
      await this.file.flushed();
      return found;
    }, 'no');
  }

  private write<T>(job: (client: Client) => Promise<T>, isAlone?: () => boolean): Promise<T> {
    return this.run(() => this.file.write(job, isAlone), 'unknown');
  }

  private async run<T>(work: () => Promise<T>, applied: 'no' | 'unknown'): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw sqliteRefusal(cause, applied);
    }
  }
}

/** How many callers wait for these changes, by their events; none for Lockyard's own records. */
function callersOf(changes: Change[]): number {
  return changes.reduce((sum, { key, events }) => {
    return isOwnRecord(key) ? sum : sum + Math.max(events.length, 1);
  }, 0);
}

type Version = { rev: number; writer: string };

function currentStatement(changes: Change[]): InStatement {
  const ids = JSON.stringify(changes.map(({ key }) => recordId(key)));
  const sql = `SELECT id, ${REV}, writer FROM locks WHERE id IN (SELECT value FROM json_each(?))`;
  return { sql, args: [ids] };
}

/** Finds the current record of a change. */
function currentOf(result: ResultSet | undefined): (change: Change) => Version | null {
  const byId = versionsById(result?.rows ?? []);
  return ({ key }) => byId.get(recordId(key)) ?? null;
}

function isExpected({ expect, clock }: Change, found: Version | null, now: number): boolean {
  const isSame = found?.rev === expect?.rev && found?.writer === expect?.writer;
  return isSame && now >= clock.past && now < clock.ahead;
}
