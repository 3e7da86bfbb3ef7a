import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type LockyardClient, withLock } from '../client/lockyard';
import { expectSound } from './expect-sound';
import { openPage } from './locks-page';
import {
  createPerson,
  createService,
  expect,
  type Person,
  setUp,
  signIn,
  test,
} from './lockyard-test';
import { type RunningServer, startServer } from './start-server';

/** One server, which the later tests end: a start takes longer than anything else here. */
let server: RunningServer;
let admin: Person;
let orders: LockyardClient;
test.beforeAll(async () => {
  server = await startServer({ HOST: '0.0.0.0' });
  admin = await setUp(server);
  orders = await createService(server, admin, 'orders');
});
test.afterAll(() => server?.discard());

test('a server without TLS on a network says so at start, and on every page of an admin', async ({
  browser,
}) => {
  expect(server.output()).toMatch(/^Warning: listening on 0\.0\.0\.0 without TLS\. .*$/m);
  const viewer = await createPerson(server, admin, 'viewer', 'vera');
  for (const [person, count] of [
    [viewer, 0],
    [admin, 1],
  ] as const) {
    const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
    await signIn(context, server, person);
    const page = await context.newPage();
    for (const path of ['/', '/audit']) {
      // Before its code runs, a page may write to its history, which abandons the next navigation.
      await openPage(page, server.url + path);
      await expect(page.getByRole('main')).toBeVisible();
      await expect(page.getByText('This connection is not encrypted.')).toHaveCount(count);
    }
    if (count > 0) await expectSound(page);
    await context.close();
  }
});

test('a second server on the same data is refused without affecting the first', async () => {
  const second = startServer({ LOCKYARD_DATABASE_URL: `sqlite:${server.dataDir}/lockyard.db` });
  await expect(second).rejects.toThrow(/Another Lockyard process has .*lockyard\.db open/);
  expect((await orders.inspect({ name: 'any' })).state).toBe('free');
});

test('work under a lock and a wait for one continue across a restart of the server', async () => {
  const name = 'outlives-servers';
  const order: string[] = [];
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const holding = withLock(name, { client: orders, owner: 'holder' }, async ({ signal }) => {
    await finished;
    order.push(signal.aborted ? 'lost' : 'held');
  });
  const inspect = () => orders.inspect({ name });
  await expect.poll(async () => (await inspect()).holders.length).toBe(1);
  const waiting = withLock(name, { client: orders, owner: 'waiter' }, () => order.push('waiter'));
  await expect.poll(async () => (await inspect()).waiters.length).toBe(1);

  await server.stop();
  await server.restart();
  await expect.poll(async () => (await inspect()).waiters.length).toBe(1);
  finish();
  await Promise.all([holding, waiting]);
  expect(order).toEqual(['held', 'waiter']);
});

test('a server that ends answers its waiters that their places are kept, and exits 0', async () => {
  const name = 'busy';
  await orders.acquire({ name, leaseMs: 600_000 });
  const waiting = ['w1', 'w2', 'w3'].map((owner) =>
    orders.acquire({ name, owner, leaseMs: 60_000, waitMs: 25_000, requestId: `request-${owner}` }),
  );
  await expect.poll(async () => (await orders.inspect({ name })).waiters.length).toBe(3);
  const startedAt = performance.now();
  const code = await server.stop();
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(code).toBe(0);
  const answers = await Promise.all(waiting);
  expect(answers).toMatchObject([1, 2, 3].map((place) => ({ outcome: 'queued', place })));
});

test('a server that ends before its pages are ready answers waiters in the same way', async () => {
  const name = 'busy before pages';
  const folder = programWithoutPages();
  await server.stop();
  await server.restartUntilListening(folder);
  await orders.acquire({ name, leaseMs: 600_000 });
  const ask = { name, owner: 'w1', leaseMs: 60_000, waitMs: 25_000, requestId: 'request-w1' };
  const waiting = orders.acquire(ask);
  await expect.poll(async () => (await orders.inspect({ name })).waiters.length).toBe(1);
  expect(server.output()).not.toContain('ready on');
  const startedAt = performance.now();
  expect(await server.stop()).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(await waiting).toMatchObject({ outcome: 'queued', place: 1 });
  rmSync(folder, { recursive: true });
});

test('a server whose pages cannot start answers its waiters, and exits with one line', async () => {
  const name = 'busy without pages';
  const folder = programWithoutPages();
  await server.stop();
  await server.restartUntilListening(folder);
  await orders.acquire({ name, leaseMs: 600_000 });
  const ask = { name, owner: 'w1', leaseMs: 60_000, waitMs: 25_000, requestId: 'without-pages' };
  const waiting = orders.acquire(ask);
  await expect.poll(async () => (await orders.inspect({ name })).waiters.length).toBe(1);
  writeFileSync(join(folder, 'end-pages'), '');
  expect(await waiting).toMatchObject({ outcome: 'queued', place: 1 });
  expect(await server.stop()).toBe(1);
  expect(server.output()).toMatch(/^The process that renders pages ended as it started[^\n]*$/m);
  rmSync(folder, { recursive: true });
});

/** The built program, except that its page process ends when there is a file `end-pages`. */
function programWithoutPages(): string {
  const root = resolve(import.meta.dirname, '..');
  const folder = mkdtempSync(join(tmpdir(), 'lockyard-e2e-'));
  const share = (path: string) => symlinkSync(join(root, path), join(folder, path));
  share('db');
  mkdirSync(join(folder, '.next/lockyard'), { recursive: true });
  for (const part of readdirSync(join(root, '.next'))) {
    if (part !== 'lockyard') share(`.next/${part}`);
  }
  for (const part of readdirSync(join(root, '.next/lockyard'))) {
    if (part !== 'page-process.mjs') share(`.next/lockyard/${part}`);
  }
  const program =
    "import { existsSync } from 'node:fs';" +
    "setInterval(() => existsSync('end-pages') && process.exit(3), 50);";
  writeFileSync(join(folder, '.next/lockyard/page-process.mjs'), program);
  return folder;
}
