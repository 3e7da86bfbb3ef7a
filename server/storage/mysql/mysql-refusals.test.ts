import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acquireMigrationLock } from '@/db/migrate';
import { systemClock } from '../../platform/clock';
import { created, freshKey, readOne } from '../conformance/testing/changes';
import { createScratchDatabase, testMysqlUrl } from '../conformance/testing/stores-under-test';
import { LazyStore } from '../lazy-store';
import { openBackend } from '../open-store';
import type { RecordKey } from '../record-store';
import { mysqlRefusal } from './mysql-refusal';
import { MysqlStore } from './mysql-store';

const user = `u_${randomBytes(6).toString('hex')}`;
const password = 'right-one';
const SOON = { timeout: 25_000 };

let scratch: Awaited<ReturnType<typeof createScratchDatabase>>;

beforeAll(async () => {
  scratch = await createScratchDatabase(testMysqlUrl());
  await asAdmin(`CREATE USER ${user}@'%' IDENTIFIED BY '${password}'`);
  await asAdmin(`GRANT ALL ON ${databaseOf(scratch.url)}.* TO ${user}@'%'`);
});

afterAll(async () => {
  await asAdmin(`DROP USER ${user}@'%'`);
  await scratch.drop();
});

const databaseOf = (url: string) => new URL(url).pathname.slice(1);

async function asAdmin(sql: string): Promise<void> {
  const connection = await createConnection({ uri: testMysqlUrl() });
  await connection.query(sql);
  await connection.end();
}

function urlWith(parts: { password?: string; pathname?: string }): string {
  return Object.assign(new URL(scratch.url), { username: user, password, ...parts }).href;
}

const REFUSED = [
  ['another password', { password: 'hunter2-is-not-it' }, /refuses the user or the password/],
  ['a database that is not there', { pathname: '/nowhere_at_all' }, /may not use|has no database/],
] as const;

test.each(REFUSED)('a backend with %s says why it cannot be used', async (_, parts, why) => {
  const refusal = expect.stringMatching(why);
  const url = urlWith(parts);
  const store = new MysqlStore(url);
  await expect(store.read([freshKey()], [])).rejects.toMatchObject({ applied: 'no', refusal });
  await store.close();
  const open = () => openBackend({ kind: 'mysql', url }, systemClock);
  const lazy = await LazyStore.start(open, () => undefined);
  await expect(lazy.read([freshKey()], [])).rejects.toMatchObject({ applied: 'no', refusal });
  await lazy.close();
});

test('a backend whose user has too many connections says so, and works with fewer', async () => {
  const store = new MysqlStore(urlWith({}));
  await asAdmin(`ALTER USER ${user}@'%' WITH MAX_USER_CONNECTIONS 1`);
  const other = await createConnection({ uri: urlWith({}) });
  const read = () => store.read([], []);
  const refused = {
    applied: 'no',
    refusal: expect.stringContaining('as many connections as it accepts'),
  };
  await expect(read()).rejects.toMatchObject(refused);
  await expect(store.guarantees()).rejects.toMatchObject(refused);
  await other.end();
  await expect.poll(() => read().then(() => 'answered', String)).toBe('answered');
  await store.close();
});

test('a backend whose user signs in by a method that driver or server lacks says so', async () => {
  const username = `${user}_ed`;
  const store = new MysqlStore(Object.assign(new URL(urlWith({})), { username }).href);
  const expectRefusal = (why: string) =>
    expect(store.read([], [])).rejects.toMatchObject({
      applied: 'no',
      refusal: expect.stringContaining(`its user signs in by a method that ${why}`),
    });
  await asAdmin("INSTALL SONAME 'auth_ed25519'");
  try {
    await asAdmin(`CREATE USER ${username}@'%' IDENTIFIED VIA ed25519 USING PASSWORD('x')`);
    await expectRefusal('Lockyard does not support');
  } finally {
    await asAdmin("UNINSTALL SONAME 'auth_ed25519'");
  }
  await expectRefusal('this server does not offer');
  await store.close();
  await asAdmin(`DROP USER ${username}@'%'`);
});

test('a backend whose user has used up its hour says so, and has applied nothing', async () => {
  const truth = await openBackend({ kind: 'mysql', url: scratch.url }, systemClock);
  // Each of these limits ends another statement: at first of the session, then of a swap.
  for (let limit = 2; limit < 30; limit += 1) {
    const name = `${user}_${limit}`;
    await asAdmin(
      `CREATE USER ${name}@'%' IDENTIFIED BY '${password}' WITH MAX_QUERIES_PER_HOUR ${limit}`,
    );
    await asAdmin(`GRANT ALL ON ${databaseOf(scratch.url)}.* TO ${name}@'%'`);
    const store = new MysqlStore(Object.assign(new URL(urlWith({})), { username: name }).href);
    let refused: RecordKey | null = null;
    while (refused === null) {
      const key = freshKey();
      const failure = await created(store, key).then(
        () => null,
        (error: unknown) => error,
      );
      if (failure === null) continue;
      refused = key;
      const refusal = expect.stringMatching(/used up what it may do in an hour/);
      expect(failure, `with ${limit} statements`).toMatchObject({ applied: 'no', refusal });
    }
    expect(await readOne(truth, refused)).toMatchObject({ record: null });
    await store.close();
    await asAdmin(`DROP USER ${name}@'%'`);
  }
  await truth.close();
});

const OPTIONS = [
  ['--read-only', /is read-only/],
  ['--super-read-only', /is read-only/],
  ['--max-session-mem-used=8192', /^An option of this database prevents/],
] as const;

test.each(OPTIONS)('a statement that %s prevents is refused with that reason', (option, why) => {
  const text = `The MariaDB server is running with the ${option} option so it cannot execute this`;
  expect(mysqlRefusal({ errno: 1290, message: `${text} statement` })).toMatch(why);
});

test('a start continues while another process migrates a backend, then uses it', async () => {
  const other = await createConnection({ uri: scratch.url });
  await acquireMigrationLock(other);
  const lines: unknown[] = [];
  const open = () => openBackend({ kind: 'mysql', url: scratch.url }, systemClock);
  const lazy = await LazyStore.start(open, (error) => lines.push(error));
  expect(lines).toEqual([expect.objectContaining({ message: expect.stringMatching(/migration/) })]);
  other.destroy();
  const read = () => lazy.read([freshKey()], []);
  await expect.poll(() => read().then(() => 'answered', String), SOON).toBe('answered');
  await lazy.close();
}, 60_000);
