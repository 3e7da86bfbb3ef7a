import { type AddressInfo, createServer } from 'node:net';
import { eq } from 'drizzle-orm';
import type { RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TcpProxy } from '@/test/tcp-proxy';
import type { Database } from '../database';
import { databaseFailure } from '../database-failure';
import { acquireMigrationLock, migrate } from '../migrate';
import { openDatabase } from '../open-database';
import { newTestLocation, TEST_DIALECTS, type TestLocation } from '../testing/test-database';
import { connectAlone } from './mysql-pool';

test('an absent server is reported in one clear line that does not show the password', async () => {
  const url = 'mysql://ana:hidden@127.0.0.1:1/lockyard';
  const opening = openDatabase({ kind: 'mysql', url });
  await expect(opening).rejects.toThrow(
    /^MySQL at 127\.0\.0\.1:1, database lockyard cannot be used: nothing listens there\.$/,
  );
});

test('a host name that has no address is reported in one clear line', async () => {
  const opening = openDatabase({ kind: 'mysql', url: 'mysql://a:b@no.such.invalid/c' });
  await expect(opening).rejects.toThrow(
    /cannot be used: (its host name has no address|its host name cannot be looked up now)\.$/,
  );
});

test('a server that accepts and never answers is abandoned within 5 s', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const begin = performance.now();
  const opening = openDatabase({ kind: 'mysql', url: `mysql://a:b@127.0.0.1:${port}/c` });
  await expect(opening).rejects.toThrow(/cannot be used: it does not respond\.$/);
  expect(performance.now() - begin).toBeLessThan(8_000);
  silent.close();
});

describe.skipIf(!TEST_DIALECTS.includes('mysql'))('on MySQL', () => {
  let place: TestLocation;
  let line: TcpProxy;
  let database: Database;
  beforeAll(async () => {
    place = await newTestLocation('mysql');
    const url = new URL(place.url.kind === 'mysql' ? place.url.url : '');
    line = await TcpProxy.start(url.hostname, Number(url.port || 3306));
    url.hostname = '127.0.0.1';
    url.port = String(line.port);
    database = await openDatabase({ kind: 'mysql', url: url.href });
  });
  afterAll(async () => {
    await database.close();
    await line.close();
    await place.remove();
  });

  test('several processes that start at once migrate in turn', async () => {
    const others = await Promise.all(Array.from({ length: 4 }, () => openDatabase(place.url)));
    await Promise.all(others.map((other) => migrate(other)));
    await Promise.all(others.map((other) => other.close()));
    const { db, tables } = database;
    expect(await db.select().from(tables.users)).toEqual([]);
  });

  test('processes whose URLs spell the database differently migrate in turn too', async () => {
    const url = new URL(place.url.kind === 'mysql' ? place.url.url : '');
    const first = await connectAlone(url.href);
    url.pathname = url.pathname.replace('lockyard', '%6Cockyard');
    const second = await connectAlone(url.href);
    await acquireMigrationLock(first);
    const turn = acquireMigrationLock(second);
    const stateOfSecond = async () => {
      const sql = 'select state from information_schema.processlist where id = ?';
      const [rows] = await first.query<RowDataPacket[]>(sql, [second.threadId]);
      return rows[0]?.state;
    };
    await expect.poll(stateOfSecond).toMatch(/user lock/i);
    first.destroy();
    await turn;
    second.destroy();
  });

  test('a silent server is reported within 5 s, and used again when it is back', async () => {
    const { db, tables } = database;
    const { settings } = tables;
    const read = () => db.select().from(settings).where(eq(settings.id, 'x'));
    await Promise.all(Array.from({ length: 20 }, read));

    line.silence();
    const begin = performance.now();
    const failures = await Promise.all(
      [...Array.from({ length: 30 }, read), database.transaction(() => read())].map((call) =>
        call.then(
          () => null,
          (error: unknown) => databaseFailure(error, 'no'),
        ),
      ),
    );
    expect(performance.now() - begin).toBeLessThan(8_000);
    expect(new Set(failures.map((failure) => failure?.reason))).toEqual(new Set(['BACKEND_DOWN']));

    line.open();
    expect(await read()).toEqual([]);
  });

  const TOO_MUCH = [
    // Tables in memory are full soon.
    ['is full', "insert into full select repeat('x', 999) from seq_1_to_1000"],
    ['takes too long', 'set statement max_statement_time = 0.01 for select sleep(2)'],
    ['is read-only', 'start transaction read only; delete from settings'],
  ] as const;

  test.each(TOO_MUCH)('a statement for which the server %s counts as refused', async (_, sql) => {
    const failure = await database.raw
      .transaction(async (ask) => {
        await ask('set max_heap_table_size = 16384', []);
        await ask('create or replace temporary table full (x varchar(999)) engine = memory', []);
        for (const statement of sql.split('; ')) await ask(statement, []);
      })
      .catch((error: unknown) => databaseFailure(error, 'no'));
    expect(failure).toMatchObject({ reason: 'BACKEND_DOWN' });
  });

  test('a transaction that keeps meeting conflicts is given up within 5 s', async () => {
    let attempts = 0;
    const begin = performance.now();
    const failure = await database.raw
      .transaction(async (ask) => {
        attempts += 1;
        await ask('do sleep(2)', []);
        await ask("signal sqlstate '40001' set mysql_errno = 1213", []);
      })
      .catch((error: unknown) => databaseFailure(error, 'no'));
    expect(performance.now() - begin).toBeLessThan(8_000);
    expect(attempts).toBeGreaterThan(1);
    expect(failure).toMatchObject({ reason: 'BACKEND_DOWN' });
  });

  test('a commit without a confirmation is not reported as a failure', async () => {
    const { tables } = database;
    const failure = await database
      .transaction(async (tx) => {
        await tx.insert(tables.settings).values({ id: 'unsure', value: '', changedAt: 1 });
        line.silence();
      })
      .catch((error: unknown) => databaseFailure(error, 'no'));
    line.open();
    expect(failure).toMatchObject({ reason: 'UNKNOWN' });
  });
});
