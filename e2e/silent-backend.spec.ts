import { startPrivateRedis } from '../scripts/servers/private-redis.mjs';
import { counterPath, lockPath } from '../server/core/paths/console-path';
import { callConsole, expect, type Person, setUp, signIn, test } from './lockyard-test';
import { type RunningServer, startServer } from './start-server';

let redis: Awaited<ReturnType<typeof startPrivateRedis>>;
let server: RunningServer;
let admin: Person;
test.beforeAll(async () => {
  redis = await startPrivateRedis({ durable: true });
  redis.signal('SIGKILL');
  server = await startServer({ LOCKYARD_BACKEND_LEDGER: redis.url });
  admin = await setUp(server);
  await callConsole(server, admin.cookie, 'namespaces.create', {
    name: 'ledger',
    backend: 'ledger',
  });
});
test.afterAll(async () => {
  await server.discard();
  await redis.stop();
});

test('a page whose backend has been silent since the start says so, then appears', async ({
  context,
  page: lock,
}) => {
  await signIn(context, server, admin);
  const counter = await context.newPage();
  const pages = [
    [lock, lockPath('ledger', 'book/7')],
    [counter, counterPath('ledger', 'pages')],
  ] as const;
  for (const [page, path] of pages) {
    const answer = await page.goto(server.url + path);
    expect(answer?.status()).toBe(200);
    const note = page.getByRole('main').getByRole('status');
    await expect(note).toContainText('The backend "ledger" is not responding');
    await expect(page.getByRole('main').getByRole('link', { name: 'Backends' })).toBeVisible();
  }
  await expect(lock.getByRole('heading', { name: 'book/7' })).toBeVisible();

  const [waits, holders] = [await context.newPage(), await context.newPage()];
  await holders.goto(`${server.url}/holders`);
  await expect(holders.getByText(/^No locks are known .* Not responding: ledger\./)).toBeVisible();
  await waits.goto(`${server.url}/waits`);
  await expect(waits.getByText('No callers are known to be waiting.')).toBeVisible();
  await expect(waits.getByText('Not responding: ledger. Whether callers')).toBeVisible();

  const [locks, counters] = [await context.newPage(), await context.newPage()];
  await locks.goto(`${server.url}/`);
  await expect(locks.getByRole('heading', { name: 'No locks known' })).toBeVisible();
  await expect(locks.getByText('Not responding: ledger. Whether there are locks')).toBeVisible();
  await counters.goto(`${server.url}/counters`);
  await expect(counters.getByText(/^No counters are known\. Not responding: led/)).toBeVisible();

  await redis.start();
  await expect(lock.getByText('A lock exists from its first acquire.')).toBeVisible();
  await expect(counter.getByText('State unknown')).toHaveCount(0);
  await expect(waits.getByText('No callers are waiting.')).toBeVisible();
  await expect(holders.getByText('No locks held, no callers waiting.')).toBeVisible();
  await expect(locks.getByRole('heading', { name: 'No locks yet' })).toBeVisible();
  await expect(counters.getByText('No counters yet.')).toBeVisible();
});
