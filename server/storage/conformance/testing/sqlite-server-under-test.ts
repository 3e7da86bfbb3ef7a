import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import type { SqliteFile } from '@/db/sqlite/sqlite-file';
import { systemClock } from '@/server/platform/clock';
import { openStore } from '../../open-store';
import type { ServerKind, ServerUnderTest } from './server-kind';
import { startProcess } from './start-process';

const INSIDE = 'The process that uses the file is its server: ';

export const sqliteServerKind: ServerKind = {
  cannotHave: {
    stopped: `${INSIDE}stopping it stops the process.`,
    'killed and restarted': `${INSIDE}both are killed together, see sqlite-bad-days.test.ts.`,
    'cut between request and reply': `${INSIDE}there is no connection.`,
    'answering garbage': `${INSIDE}garbage shows on opening, see sqlite-bad-days.test.ts.`,
    'read-only': `${INSIDE}a file opened for writing stays writable.`,
  },
  isShared: false,
  start: startSqliteUnderTest,
};

/** The limit of pages of a file that is not limited. */
const PAGES_MAX = 2 ** 30;

async function startSqliteUnderTest(): Promise<ServerUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'ly-bad-'));
  const url = { kind: 'sqlite', path: join(folder, 'lockyard.db') } as const;
  const database = await openDatabase(url);
  await migrate(database);
  const { sqlite } = database;
  if (!sqlite) throw new Error('This database has no file.');
  const open = () => openStore(url, database, systemClock);
  return {
    join: () => startProcess(open),
    truth: open,
    async begin() {
      const { rows } = await sqlite.client.execute('PRAGMA page_count');
      await limitPages(sqlite, Number(rows[0]?.[0]));
      await fill(sqlite);
      return () => limitPages(sqlite, PAGES_MAX);
    },
    async stop() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Uses up the room left in the file's pages. */
async function fill(file: SqliteFile): Promise<void> {
  const sql = 'INSERT INTO lock_history (at, changes, took) VALUES (0, ?, ?)';
  for (const bytes of [1_000, 100, 1]) {
    const args = ['[]', 'x'.repeat(bytes)];
    const insert = () => file.write((client) => client.execute({ sql, args }));
    while (await insert().then(Boolean, isNotFull));
  }
}

function isNotFull(error: { code?: string }): false {
  if (error.code === 'SQLITE_FULL') return false;
  throw error;
}

/** Each connection has its own limit: that of the writer matters. */
async function limitPages(file: SqliteFile, pages: number): Promise<void> {
  await file.write((writer) => writer.execute(`PRAGMA max_page_count = ${pages}`));
}
