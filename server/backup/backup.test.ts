import { statSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { eq, inArray } from 'drizzle-orm';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSnapshot } from '@/db/snapshot';
import { TEST_DIALECTS, type TestDialect } from '@/db/testing/test-database';
import { describeBackendUrl } from '@/db/urls/backend-url';
import { printOf } from '../cli/testing/print-of';
import { addTo, createCommand, readCounter } from '../engine/testing/counter-calls';
import { createApiKey } from '../operations/api-keys/create-api-key';
import { listAudit } from '../operations/audit/list-audit';
import { createNamespace } from '../operations/namespaces/create-namespace';
import { signIn } from '../operations/sessions/sign-in';
import { createUser } from '../operations/users/create-user';
import { Installation, type Server } from './testing/backup-rig';
import { buildCommandLine, type CommandLine } from './testing/command-line';
import { writeBackup } from './write-backup';

const COUNTER = { namespace: 'default', name: 'seats', kind: 'counter' } as const;
const OTHER = { namespace: 'default', name: 'made later' };
const SOON = { timeout: 10_000, interval: 50 };
const PASSWORD = 'a horse, a battery and a staple';

let commandLine: CommandLine;
beforeAll(async () => {
  commandLine = await buildCommandLine();
});

let made: Installation[] = [];
afterEach(async () => {
  await Promise.all(made.map((each) => each.remove()));
  made = [];
});

async function install(
  dialect: TestDialect,
  make: 'make' | 'makeEmpty' = 'make',
): Promise<Installation> {
  const installation = await Installation[make](dialect, commandLine);
  made.push(installation);
  return installation;
}

/** Expects a command to succeed, in this process or in one of its own. Returns its output. */
async function succeed(
  installation: Installation,
  words: string[],
  where: 'command' | 'process' = 'command',
): Promise<string> {
  const { code, err } = await installation[where](words);
  expect([code, err]).toEqual([0, expect.stringContaining('\n')]);
  return err;
}

/** A person, a key, a counter, and a lock that is held. */
async function furnish(server: Server) {
  await createUser(server.cli, { name: 'Zoë 🔒', role: 'admin', password: PASSWORD });
  const { key } = await createApiKey(server.cli, { name: 'orders', namespaces: ['default'] });
  await server.engine.count(COUNTER, createCommand(7, { floor: 0 }));
  return { key, token: await server.take() };
}

describe.each(TEST_DIALECTS)('a backup of %s', (dialect) => {
  /** What only a process of its own shows is the same over each database. */
  const where = dialect === 'sqlite' ? 'process' : 'command';
  let home: Installation;
  beforeEach(async () => {
    home = await install(dialect);
  });

  test('made while the server runs restores everything; later tokens are higher', async () => {
    const { key, token, later } = await home.serve(async (server) => {
      const before = await furnish(server);
      const said = await succeed(home, ['backup', home.file()], where);
      expect(said).toMatch(/Not included: the secret in the data folder, sessions\.$/m);
      await addTo(server, COUNTER, 5);
      await server.release(before.token);
      const later = [await server.take(), await server.take(OTHER)];
      return { ...before, later };
    });
    expect(statSync(home.file()).mode & 0o777).toBe(0o600);

    const restore = ['restore', home.file(), '--replace', '--quiet', '0s'];
    const said = await succeed(home, restore, where);
    expect(said).toContain('The epoch is 2.');
    expect(said).toContain(describeBackendUrl(home.url));
    await home.serve(async (server) => {
      const { runtime } = server;
      expect(await runtime.apiKeys.verify(key)).toMatchObject({ service: 'orders' });
      await signIn({ ...server.cli, actor: null }, { name: 'Zoë 🔒', password: PASSWORD });
      expect(await readCounter(server, COUNTER)).toMatchObject({ value: 7, floor: 0 });
      expect(await server.renew(token)).toMatchObject({
        outcome: 'lost',
        cause: 'forced',
        by: 'restore',
      });
      const again = [await server.take(), await server.take(OTHER)];
      expect(Math.min(...again)).toBeGreaterThan(Math.max(token, ...later));
      const { rows } = await listAudit(server.cli, { limit: 20 });
      expect(rows.map(({ act, outcome }) => [act, outcome])).toEqual([
        ['session.signIn', 'done'],
        ['backup.restore', 'done'],
        ['backup.make', 'done'],
        ['key.create', 'done'],
        ['user.create', 'done'],
      ]);
      const events = await runtime.database.db.$count(runtime.database.tables.lockHistory);
      expect(events).toBeGreaterThan(0);
    });
  });

  test('grants nothing after a restore while a hold that it lacks may last', async () => {
    await home.serve(async (server) => {
      await furnish(server);
      await succeed(home, ['backup', home.file()]);
    });
    const said = await succeed(home, ['restore', home.file(), '--replace']);
    expect(said).toContain('(24 h 0 m)');
    await home.serve(async (server) => {
      const { row } = await server.runtime.projection.detail(OTHER.namespace, OTHER.name);
      expect(row).toMatchObject({ status: 'delayed', rev: 0 });
      for (const key of [undefined, OTHER]) {
        expect(await server.acquire(key)).toMatchObject({ outcome: 'held', holders: [] });
      }
      expect(await addTo(server, COUNTER, 1)).toMatchObject({ outcome: 'applied', value: 8 });
    });
    await succeed(home, ['restore', home.file(), '--replace', '--quiet', '700ms']);
    await home.serve(async (server) => {
      const since = performance.now();
      await expect.poll(async () => (await server.acquire()).outcome).toBe('granted');
      expect(performance.now() - since).toBeLessThan(10_000);
    });
  });

  test('marks exactly the past between a backup and its restore as lost', async () => {
    const seen = await home.serve(async (server) => {
      await furnish(server);
      const { range } = server.runtime.pastView;
      await expect.poll(async () => (await range.since()).events, SOON).not.toBeNull();
      const before = Date.now();
      await succeed(home, ['backup', home.file()]);
      await server.take(OTHER);
      return { before, between: Date.now() };
    });
    await succeed(home, ['restore', home.file(), '--replace', '--quiet', '0s']);
    await home.serve(async ({ runtime: { pastView } }) => {
      const page = {
        attention: false,
        sort: 'name',
        descending: false,
        offset: 0,
        limit: 9,
      } as const;
      const restoredAt = async (at: number) => (await pastView.locks(at, page)).past.restored;
      const restored = await restoredAt(seen.between);
      expect(restored?.madeAt).toBeGreaterThanOrEqual(seen.before);
      expect(restored?.madeAt).toBeLessThan(seen.between);
      expect(restored?.restoredAt).toBeGreaterThan(seen.between);
      expect((await pastView.counters.page(seen.between, { limit: 9 })).past.restored).toEqual(
        restored,
      );
      expect(await restoredAt(seen.before)).toBeUndefined();
      expect(await restoredAt(Date.now())).toBeUndefined();
    });
  });

  test('ends every session, and makes no used setup link valid again', async () => {
    const session = await home.serve(async (server) => {
      await furnish(server);
      const { database, clock } = server.runtime;
      const link = { id: 'setup-link:used', value: '9e15', changedAt: clock.now() };
      await database.db.insert(database.tables.settings).values(link);
      const anybody = { ...server.cli, actor: null };
      const { session } = await signIn(anybody, { name: 'Zoë 🔒', password: PASSWORD });
      await succeed(home, ['backup', home.file()]);
      return session;
    });
    await succeed(home, ['restore', home.file(), '--replace']);
    await home.serve(async ({ runtime }) => {
      expect(await runtime.sessions.resolve(session.value)).toBeNull();
      const { db, tables } = runtime.database;
      const kept = await db.select().from(tables.settings);
      expect(kept.map(({ id }) => id)).toEqual(['secret-fingerprint']);
    });
  });

  test('lowers no epoch, even that of a backend that it does not contain', async () => {
    const later = { id: 'orders', epoch: 3, createdAt: 1, longestLeaseMs: 60_000 };
    await home.serve(async ({ runtime: { database } }) => {
      await succeed(home, ['backup', home.file()]);
      await database.db.insert(database.tables.backends).values(later);
    });
    await succeed(home, ['restore', home.file(), '--replace']);
    await home.serve(async ({ runtime: { database } }) => {
      const known = await database.db.select().from(database.tables.backends);
      expect(known).toContainEqual(expect.objectContaining({ ...later, epoch: 4 }));
    });
  });

  test('lets a namespace that it lacks be created again only on its own backend', async () => {
    const later = { id: 'later', backend: 'elsewhere', createdAt: 1 };
    await home.serve(async ({ runtime: { database } }) => {
      await succeed(home, ['backup', home.file()]);
      await database.db.insert(database.tables.namespaces).values(later);
    });
    await succeed(home, ['restore', home.file(), '--replace']);
    await home.serve(async ({ cli, runtime }) => {
      expect(await runtime.namespaces.get('later')).toBeNull();
      const elsewhere = createNamespace(cli, { name: 'later', backend: 'default' });
      await expect(elsewhere).rejects.toMatchObject({ reason: 'CONFLICT' });
    });
  });

  test('keeps what has become known since about the store of another backend', async () => {
    const backed = (id: string, life: string) => ({
      ...{ id, epoch: 3, createdAt: 1, grantsFrom: null, life, runId: 'run', beat: 1_000 },
      ...{ replicationId: null, isDurable: 1, evictedKeys: 0, longestLeaseMs: 60_000 },
      ...{ lossAt: null, lossWhat: null },
    });
    const learnt = { beat: 2_000, isDurable: 0, grantsFrom: 9e12, longestLeaseMs: 3_600_000 };
    await home.serve(async ({ runtime: { database } }) => {
      const { backends } = database.tables;
      const rows = [backed('same', 'first'), backed('lost', 'first'), backed('calm', 'first')];
      await database.db.insert(backends).values(rows);
      await succeed(home, ['backup', home.file()]);
      await database.db
        .update(backends)
        .set(learnt)
        .where(inArray(backends.id, ['same', 'lost']));
      await database.db.update(backends).set({ life: 'second' }).where(eq(backends.id, 'lost'));
      await database.db.update(backends).set({ beat: 500 }).where(eq(backends.id, 'calm'));
    });
    await succeed(home, ['restore', home.file(), '--replace']);
    await home.serve(async ({ runtime: { database } }) => {
      const { backends } = database.tables;
      const rows = await database.db.select().from(backends).orderBy(backends.id);
      const { grantsFrom, longestLeaseMs } = learnt;
      expect(rows.filter(({ id }) => id !== 'default')).toEqual([
        { ...backed('calm', 'first'), epoch: 4 },
        // With the backup's incarnation the guard detects the loss again, and waits long enough.
        { ...backed('lost', 'first'), epoch: 4, grantsFrom, longestLeaseMs },
        { ...backed('same', 'first'), epoch: 4, ...learnt },
      ]);
    });
  });

  test('continues the history in an empty database, without the earlier commits', async () => {
    const events = async ({ runtime }: Server, { name }: typeof OTHER) => {
      const sql = 'SELECT body FROM lock_events WHERE lock_id = ?';
      return (await runtime.database.raw.ask(sql, [`default/${name}`])).rows.length;
    };
    const [recorded, later] = [{ ...OTHER, name: 'recorded' }, OTHER];
    await home.serve(async (server) => {
      for (let i = 0; i < 30; i += 1) await server.release(await server.take(recorded), recorded);
      await expect.poll(() => events(server, recorded), SOON).toBeGreaterThan(0);
    });
    await home.serve(async (server) => {
      await server.runtime.database.raw.ask('DELETE FROM lock_history', []);
      await succeed(home, ['backup', home.file()]);
    });
    const fresh = await install(dialect, 'makeEmpty');
    await succeed(fresh, ['restore', home.file(), '--quiet', '0s']);
    await fresh.serve(async (server) => {
      await server.take(later);
      await expect.poll(() => events(server, later), SOON).toBeGreaterThan(0);
    });
  });

  test('has the state of one instant, whatever is written meanwhile', async () => {
    await home.serve(async ({ runtime }) => {
      const { database } = runtime;
      const { settings } = database.tables;
      let isOver = false;
      const write = async () => {
        for (let i = 0; !isOver; i += 1) {
          await setTimeout(1);
          const rows = ['left', 'right'].map((side) => `${side} ${i}`);
          await database.transaction(async (tx) => {
            for (const id of rows) {
              await tx.insert(settings).values({ id, value: '', changedAt: 1 });
            }
          });
        }
      };
      const writing = write();
      try {
        for (const name of ['one.gz', 'two.gz']) {
          await succeed(home, ['backup', home.file(name)], 'process');
        }
      } finally {
        isOver = true;
        await writing;
      }
    });
    for (const name of ['one.gz', 'two.gz']) {
      await succeed(home, ['restore', home.file(name), '--replace']);
      const { settings = [] } = await home.contents();
      const sides = (side: string) => settings.filter(([id]) => String(id).startsWith(side));
      expect(sides('left').length).toBeGreaterThan(0);
      expect(sides('left').length).toBe(sides('right').length);
    }
  });

  test('made just as another one began is the one that its audit log has as made', async () => {
    await home.serve(async ({ runtime }) => {
      const begin = (file: string) => printOf(runtime, { verb: 'backup begin', input: { file } });
      const intent = (await begin('own.gz')) ?? '';
      await begin('other.gz');
      const snapshot = await openSnapshot(home.url);
      const { signal } = new AbortController();
      await writeBackup(snapshot, home.file(), { overwrite: false, madeAt: 1, intent, signal });
      await snapshot.close();
    });
    await succeed(home, ['restore', home.file(), '--replace']);
    await home.serve(async ({ runtime: { database } }) => {
      const { audit } = database.tables;
      const entries = await database.db.select().from(audit).where(eq(audit.act, 'backup.make'));
      expect(entries.map(({ subject, outcome }) => [subject, outcome === 'done'])).toEqual([
        ['own.gz', true],
        ['other.gz', false],
      ]);
    });
  });

  test('can be piped, with nothing else on standard output', async () => {
    const { key } = await home.serve(furnish);
    const { code, out } = await home[where](['backup', '-', '--json']);
    expect(code).toBe(0);
    writeFileSync(home.file(), out);
    const restore = ['restore', home.file(), '--replace', '--quiet', '0s', '--json'];
    const { out: report } = await home[where](restore);
    expect(JSON.parse(String(report))).toEqual({
      file: home.file(),
      rows: expect.any(Number),
      epoch: expect.any(Number),
      madeAt: expect.any(Number),
      grantsFrom: expect.any(Number),
    });
    await home.serve(async ({ runtime }) => {
      expect(await runtime.apiKeys.verify(key)).toMatchObject({ service: 'orders' });
    });
  });
});

test.each([
  ['sqlite', 'mysql'],
  ['mysql', 'sqlite'],
] as const)('a backup of %s goes into an empty %s', async (from, to) => {
  const [old, fresh] = [await install(from), await install(to, 'makeEmpty')];
  const { token } = await old.serve(furnish);
  await succeed(old, ['backup', old.file()]);
  await succeed(fresh, ['restore', old.file(), '--quiet', '0s']);

  const [before, after] = [await old.contents(), await fresh.contents()];
  for (const table of ['users', 'api_keys', 'namespaces', 'lock_requests', 'lock_events']) {
    expect(after[table]).toEqual(before[table]);
  }
  await fresh.serve(async (server) => {
    expect(await readCounter(server, COUNTER)).toMatchObject({ value: 7 });
    expect(await server.take()).toBeGreaterThan(token);
  });
});

test('a backup of SQLite can be restored to MySQL, however long its subjects are', async () => {
  const [old, fresh] = [await install('sqlite'), await install('mysql', 'makeEmpty')];
  const subject = `${'n'.repeat(62)} ${'é'.repeat(150)}`;
  await old.serve(async (server) => {
    await furnish(server);
    const { raw } = server.runtime.database;
    await raw.ask('UPDATE audit SET subject = ? WHERE act = ?', [subject, 'key.create']);
  });
  await succeed(old, ['backup', old.file()]);
  await succeed(fresh, ['restore', old.file(), '--quiet', '0s']);
  await fresh.serve(async (server) => {
    const { rows } = await listAudit(server.cli, { limit: 20 });
    const entry = rows.find(({ act }) => act === 'key.create');
    expect(entry?.subject).toBe(`${'n'.repeat(62)} ${'é'.repeat(96)}`);
  });
});
