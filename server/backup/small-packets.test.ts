import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { like } from 'drizzle-orm';
import { createConnection } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { openDatabase } from '@/db/open-database';
import { openSnapshot } from '@/db/snapshot';
import { openTestDatabase } from '@/db/testing/test-database';
import { startPrivateMariadb } from '@/scripts/servers/private-mariadb.mjs';
import { checkBackup, restoreBackup } from './restore-backup';
import { writeBackup } from './write-backup';

const PACKET_BYTES = 1024 * 1024;
const ROWS = 250;

/** JSON in Chinese: three bytes per character, and a backslash for each quote. */
const VALUE = JSON.stringify(Array.from({ length: 1_000 }, () => '锁锁'));

test('a backup can be restored to a MySQL that accepts at most 1 MB at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockyard-'));
  const source = await openTestDatabase('sqlite');
  const { settings } = source.tables;
  const ids = Array.from({ length: ROWS }, (_, i) => `row.${i}`);
  const rows = ids.map((id) => ({ id, value: VALUE, changedAt: 1 }));
  await source.db.insert(settings).values(rows);
  const [found] = (await source.raw.ask('select file from pragma_database_list', [])).rows;
  const snapshot = await openSnapshot({ kind: 'sqlite', path: String(found?.[0]) });
  const file = join(folder, 'backup.gz');
  const { signal } = new AbortController();
  await writeBackup(snapshot, file, { overwrite: false, madeAt: 1, intent: '', signal });
  await snapshot.close();
  await source.close();
  const server = await startPrivateMariadb({
    durable: false,
    settings: [`--max-allowed-packet=${PACKET_BYTES}`],
  });
  const root = await createConnection({ uri: server.url });
  await root.query('CREATE DATABASE lockyard');
  await root.end();
  const target = await openDatabase({ kind: 'mysql', url: `${server.url}/lockyard` });
  const backup = await checkBackup(file, 'mysql');
  await restoreBackup(target, backup, { replace: false, quietMs: 0, now: Date.now() });
  const restored = await target.db
    .select()
    .from(target.tables.settings)
    .where(like(target.tables.settings.id, 'row.%'));
  expect(restored.map(({ value }) => value)).toEqual(rows.map(({ value }) => value));
  await target.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});
