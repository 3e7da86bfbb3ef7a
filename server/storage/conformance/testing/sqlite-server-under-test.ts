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

const INSIDE = 'It is a file in the process that uses it: ';

export const sqliteServerKind: ServerKind = {
  cannotHave: {
    stopped: `${INSIDE}what stops it stops the process.`,
    'killed and restarted': `${INSIDE}that is killed with it, see sqlite-bad-days.test.ts.`,
    'cut between request and reply': `${INSIDE}nothing lies between.`,
    'answering garbage': `${INSIDE}garbage in the file is met when it is opened, see sqlite-bad-days.test.ts.`,
    'read-only': `${INSIDE}who opened it for writing may write.`,
  },
  isShared: false,
  start: startSqliteUnderTest,
};

/** What a file may have when nothing limits it. */
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

/** Uses up what room there is left in its pages. */
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

/** Each connection has a limit of its own: that of the writer counts. */
async function limitPages(file: SqliteFile, pages: number): Promise<void> {
  await file.write((writer) => writer.execute(`PRAGMA max_page_count = ${pages}`));
}
