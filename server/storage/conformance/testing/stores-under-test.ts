import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import type { Database } from '@/db/database';
import { openDatabase } from '@/db/open-database';
import { addTables } from '@/db/testing/add-tables';
import type { BackendUrl, DatabaseUrl } from '@/db/urls/backend-url';
import { MysqlStore, type MysqlStoreOptions } from '../../mysql/mysql-store';
import { openStore } from '../../open-store';
import { recordId } from '../../record-id';
import type { HistorySource, RecordKey, RecordStore } from '../../record-store';
import { SqliteStore } from '../../sqlite/sqlite-store';
import { openRedisUnderTest } from './redis-under-test';
import { openZookeeperUnderTest } from './zookeeper-under-test';

export type Store = RecordStore & HistorySource;

/**
 * The capabilities of a kind of store beyond the contract. A case that depends on one names it;
 * there are no skips.
 *
 * - `manyProcesses`: several servers can use it at the same time, each over its own connections.
 * - `youngGaps`: an id of its history can be assigned and become visible later.
 * - `ownClock`: leases are judged by a clock that is not this machine's wall clock.
 * - `keepsLapsed`: an expired answer is returned until maintenance removes it.
 * - `readsClock`: a read returns that clock itself. Other stores return a lower bound, which may
 *   differ between two processes.
 * - `namesCommits`: a swap returns which row of the history it wrote.
 * - `testsAnswers`: a swap tests which requests have no stored answer.
 */
export type Capability =
  | 'manyProcesses'
  | 'youngGaps'
  | 'ownClock'
  | 'keepsLapsed'
  | 'readsClock'
  | 'namesCommits'
  | 'testsAnswers';

/** A fresh, empty store. */
export interface StoreUnderTest {
  store: Store;
  /** The control tables beside the records. */
  database: Database;
  /** Opens a store over the same records, as another process does. */
  another(): Promise<Store>;
  /** Makes every write of this record wait until the returned function is called. */
  stallRow(key: RecordKey): Promise<() => Promise<void>>;
  /**
   * Assigns an id of the history that becomes visible when the returned function is called with
   * true; with false, never.
   */
  openGap(): Promise<(becomesVisible: boolean) => Promise<void>>;
  /**
   * Stalls a swap that stores this answer, its history id already assigned, until the returned
   * function is called.
   */
  stallAnswer(requestKey: string): Promise<() => Promise<void>>;
  /** Moves the wall clock that a store without a clock of its own is given. */
  passMs(ms: number): void;
  /** Closes and removes everything. */
  close(): Promise<void>;
}

export interface StoreKind {
  capabilities: readonly Capability[];
  open(): Promise<StoreUnderTest>;
}

/** Every store that `open-store.ts` can open, by the scheme of its URL. */
export const storesUnderTest: Record<BackendUrl['kind'], StoreKind> = {
  sqlite: {
    capabilities: ['keepsLapsed', 'readsClock', 'namesCommits', 'testsAnswers'],
    open: openSqliteUnderTest,
  },
  redis: {
    capabilities: ['manyProcesses', 'ownClock', 'readsClock', 'namesCommits', 'testsAnswers'],
    open: () => openRedisUnderTest(),
  },
  mysql: {
    capabilities: [
      'manyProcesses',
      'youngGaps',
      'ownClock',
      'keepsLapsed',
      'readsClock',
      'namesCommits',
      'testsAnswers',
    ],
    open: () => openMysqlUnderTest(),
  },
  zookeeper: {
    capabilities: ['manyProcesses', 'ownClock', 'keepsLapsed'],
    open: () => openZookeeperUnderTest(),
  },
};

export type StoreName = keyof typeof storesUnderTest;

export const storeNames = Object.keys(storesUnderTest) as StoreName[];

/**
 * For guarantees above the contract, which the cases of the contract prove for every store: one
 * store in this process and one server, all stores in `npm run test:long`.
 */
export const sampledStores: readonly StoreName[] =
  process.env.TEST_LONG === '1' ? storeNames : ['sqlite', 'mysql'];

export const can = (name: StoreName, capability: Capability): boolean =>
  storesUnderTest[name].capabilities.includes(capability);

async function openSqliteUnderTest(): Promise<StoreUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'ly-store-'));
  const url: DatabaseUrl = { kind: 'sqlite', path: join(folder, 'lockyard.db') };
  await addTables(url);
  const database = await openDatabase(url);
  let passedMs = 0;
  const clock = { now: () => Date.now() + passedMs, monotonic: () => performance.now() };
  const store = await openStore(url, database, clock);
  return {
    store,
    database,
    async another() {
      if (!database.sqlite) throw new Error('This database has no file.');
      return SqliteStore.open(database.sqlite, clock);
    },
    async stallRow() {
      let release = () => {};
      const stalled = new Promise<void>((resolve) => {
        release = resolve;
      });
      const done = database.sqlite?.write(() => stalled);
      return async () => {
        release();
        await done;
      };
    },
    openGap: noYoungGaps,
    stallAnswer: noYoungGaps,
    passMs(ms) {
      passedMs += ms;
    },
    async close() {
      await store.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function noYoungGaps(): never {
  throw new Error('This store has one writer: every assigned id is visible.');
}

/** @param options as for `MysqlStore` */
export async function openMysqlUnderTest(
  options: Pick<MysqlStoreOptions, 'callMaxMs' | 'usesReturning'> = {},
): Promise<StoreUnderTest> {
  const scratch = await createScratchTables(testMysqlUrl());
  const database = await openDatabase({ kind: 'mysql', url: scratch.url });
  const opened: Store[] = [];
  const open = () => {
    const store = new MysqlStore(scratch.url, options);
    opened.push(store);
    return store;
  };
  return {
    store: open(),
    database,
    async another() {
      return open();
    },
    stallRow: (key) => holdRow(scratch.url, key),
    openGap: () => holdHistoryId(scratch.url),
    stallAnswer: (requestKey) => holdAnswer(scratch.url, requestKey),
    passMs() {
      throw new Error('The clock of a database server cannot be moved.');
    },
    async close() {
      await Promise.all(opened.map((store) => store.close()));
      await database.close();
      await scratch.drop();
    },
  };
}

/**
 * The server that the tests may use. Fails if there is none: a contract that was not run proves
 * nothing.
 */
export function testMysqlUrl(): string {
  const url = process.env.TEST_MYSQL_URL;
  if (!url) throw new Error('TEST_MYSQL_URL must name a MySQL or MariaDB server for the tests.');
  return url;
}

/** Creates a new database on a server, not migrated yet. */
export async function createScratchDatabase(
  serverUrl: string,
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `lk_${randomBytes(6).toString('hex')}`;
  const run = async (sql: string) => {
    const connection = await createConnection({ uri: serverUrl });
    await connection.query(sql);
    await connection.end();
  };
  await run(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(`DROP DATABASE ${name}`) };
}

/** The same with the tables of this program. */
export async function createScratchTables(
  serverUrl: string,
): ReturnType<typeof createScratchDatabase> {
  const scratch = await createScratchDatabase(serverUrl);
  await addTables({ kind: 'mysql', url: scratch.url });
  return scratch;
}

/** Keeps a row locked in another client's transaction. */
async function holdRow(url: string, key: RecordKey): Promise<() => Promise<void>> {
  const connection = await createConnection({ uri: url });
  await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await connection.query('START TRANSACTION');
  await connection.query('SELECT rev FROM locks WHERE id = ? FOR UPDATE', [
    Buffer.from(recordId(key), 'utf8'),
  ]);
  return async () => {
    await connection.query('ROLLBACK');
    await connection.end();
  };
}

/** Keeps an id of the history in another client's open transaction. */
async function holdHistoryId(url: string): Promise<(becomesVisible: boolean) => Promise<void>> {
  const connection = await createConnection({ uri: url });
  await connection.query('START TRANSACTION');
  await connection.query("INSERT INTO lock_history (at, changes, took) VALUES (1, '[]', '')");
  return async (becomesVisible) => {
    await connection.query(becomesVisible ? 'COMMIT' : 'ROLLBACK');
    await connection.end();
  };
}

/** Keeps the key of an answer in another client's open transaction. */
async function holdAnswer(url: string, requestKey: string): Promise<() => Promise<void>> {
  const connection = await createConnection({ uri: url });
  await connection.query('START TRANSACTION');
  await connection.query("INSERT INTO lock_requests VALUES (?, '', '0', 0, NULL)", [requestKey]);
  return async () => {
    await connection.query('ROLLBACK');
    await connection.end();
  };
}
