import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeInBulk } from '@/db/bulk-change';
import { type Database, databaseNow } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { HOUR_MS } from '../core/time-units';
import { DEAD_AFTER_MS } from '../core/timing';
import { heartbeatKey } from '../engine/membership';
import { newWriter } from '../engine/new-writer';
import { recordId } from '../storage/record-id';
import { refuseLiveServers } from './refuse-live-servers';

const RUNNING = 'A Lockyard server is running on this database.';

let database: Database;
afterEach(() => database.close());

/** Writes a heartbeat, and removes the one before it. */
async function beat(lastsMs: number): Promise<void> {
  const { db, tables, raw } = database;
  const id = recordId(heartbeatKey('server'));
  const head = String((await databaseNow(database)) + lastsMs);
  await raw.ask('DELETE FROM locks', []);
  await db
    .insert(tables.locks)
    .values({ id, rev: 1, writer: newWriter(), head, queue: '', changedAt: 1 });
}

async function refuse(wait = async () => {}): Promise<void> {
  const now = await databaseNow(database);
  await changeInBulk(database, (change) => refuseLiveServers(change, now, wait));
}

describe.each(TEST_DIALECTS)('a change that needs all servers of %s stopped', (dialect) => {
  beforeEach(async () => {
    database = await openTestDatabase(dialect);
  });

  test('is refused while the heartbeat of one is fresh, and not once it has ended', async () => {
    await beat(1_000);
    await expect(refuse()).rejects.toThrow(RUNNING);
    await beat(0);
    await refuse();
  });

  test('is made after a crash, even if the clock has been set back since', async () => {
    await beat(HOUR_MS);
    await refuse();
  });
});

describe.skipIf(!TEST_DIALECTS.includes('mysql'))('such a change on MySQL', () => {
  beforeEach(async () => {
    database = await openTestDatabase('mysql');
  });

  test('is refused while a server runs, even if the clock was just set back', async () => {
    await beat(HOUR_MS);
    await expect(refuse(() => beat(DEAD_AFTER_MS))).rejects.toThrow(RUNNING);
  });
});
