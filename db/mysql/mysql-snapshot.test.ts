import { setTimeout } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TcpProxy } from '@/test/tcp-proxy';
import { changeInBulk } from '../bulk-change';
import { migrate } from '../migrate';
import { openDatabase } from '../open-database';
import { knownMigrations, MIGRATIONS_TABLE } from '../schema-version';
import { newTestLocation, TEST_DIALECTS, type TestLocation } from '../testing/test-database';
import { connectionOptions } from './mysql-pool';
import { openMysqlSnapshot } from './mysql-snapshot';

describe.skipIf(!TEST_DIALECTS.includes('mysql'))('a snapshot of MySQL', () => {
  let place: TestLocation;
  let url: string;
  beforeAll(async () => {
    place = await newTestLocation('mysql');
    if (place.url.kind !== 'mysql') throw new Error('This is no URL of MySQL.');
    url = place.url.url;
    const database = await openDatabase(place.url);
    await migrate(database);
    await database.close();
  });
  afterAll(() => place.remove());

  test('opens even if the migrations table changes between start and first read', async () => {
    const other = await createConnection(connectionOptions(url));
    let isOver = false;
    const changing = (async () => {
      for (let times = 0; !isOver; times += 1) {
        await other.query(`alter table ${MIGRATIONS_TABLE} comment = '${times}', algorithm = copy`);
        await setTimeout(1);
      }
    })();
    try {
      for (let i = 0; i < 250; i += 1) {
        const snapshot = await openMysqlSnapshot(url);
        expect(snapshot.applied).toEqual(knownMigrations('mysql'));
        await snapshot.close();
      }
    } finally {
      isOver = true;
      await changing;
      other.destroy();
    }
  });

  test('fails like any other call if its connection breaks between two statements', async () => {
    const server = new URL(url);
    const line = await TcpProxy.start(server.hostname, Number(server.port || 3306));
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String(line.port);
    const snapshot = await openMysqlSnapshot(through.href);
    const database = await openDatabase({ kind: 'mysql', url: through.href });
    const breakLine = async () => {
      line.reset();
      await setTimeout(50);
    };
    await breakLine();
    await expect(snapshot.count({ name: 'locks', columns: [] })).rejects.toThrow();
    // A change of the whole database has a connection of its own too.
    const changing = changeInBulk(database, async (change) => {
      await change.select('select 1 as one');
      await breakLine();
      await change.select('select 1 as one');
    });
    await expect(changing).rejects.toThrow();
    await snapshot.close();
    await database.close();
    await line.close();
  });
});
