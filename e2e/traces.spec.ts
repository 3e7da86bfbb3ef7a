import { LockyardClient, withLock } from '../client/lockyard';
import { lockPath } from '../server/core/paths/console-path';
import { openLive } from './locks-page';
import { createKey, expect, type Person, setUp, signIn, test } from './lockyard-test';
import { type RunningServer, startServer } from './start-server';

const ONE = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };
const TWO = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };
const traceparentOf = ({ trace, span }: typeof ONE) => `00-${trace}-${span}-01`;
const addressOf = ({ trace, span }: typeof ONE) =>
  `https://traces.example/trace/${trace}?span=${span}`;

let server: RunningServer;
let admin: Person;
test.beforeAll(async () => {
  const template = 'https://traces.example/trace/{traceId}?span={spanId}';
  server = await startServer({ LOCKYARD_TRACE_URL: template });
  admin = await setUp(server);
});
test.afterAll(() => server.discard());

test('the page of a lock opens the trace of its hold, and of the hold that it waited for', async ({
  context,
  page,
}) => {
  const apiKey = await createKey(server, admin, 'orders');
  const client = new LockyardClient({ url: server.url, apiKey });
  const acquire = (owner: string, ids: typeof ONE) =>
    client.acquire(
      { name: 'traced', owner, leaseMs: 600_000, waitMs: 20_000 },
      { traceparent: traceparentOf(ids) },
    );
  const first = await acquire('orders-1', ONE);
  await signIn(context, server, admin);
  await openLive(page, server.url + lockPath('default', 'traced'));
  const holder = page.getByRole('region', { name: 'Holder' });
  const link = (word: string) =>
    holder.locator('dl > div', { has: page.getByText(word, { exact: true }) }).getByRole('link');
  await expect(link('Trace')).toHaveAttribute('href', addressOf(ONE));
  await expect(link('Waited for')).toHaveCount(0);
  const waiting = acquire('orders-2', TWO);
  await expect.poll(async () => (await client.inspect({ name: 'traced' })).waiters.length).toBe(1);
  if (first.outcome !== 'granted') throw new Error(first.outcome);
  await client.release({ name: 'traced', owner: 'orders-1', token: first.token });
  await waiting;
  await expect(link('Trace')).toHaveAttribute('href', addressOf(TWO));
  await expect(link('Waited for')).toHaveAttribute('href', addressOf(ONE));
  await expect(link('Trace')).toHaveAttribute('rel', 'noopener noreferrer');
});

test('Waits and Holders open the trace of a hold', async ({ context, page }) => {
  const name = 'waited for';
  const apiKey = await createKey(server, admin, 'orders');
  const client = new LockyardClient({ url: server.url, apiKey });
  await client.acquire(
    { name, owner: 'orders-1', leaseMs: 600_000 },
    { traceparent: traceparentOf(ONE) },
  );
  const end = new AbortController();
  const wait = { client, owner: 'orders-2', waitMs: 300_000, signal: end.signal };
  const waiting = withLock(name, wait, () => undefined).catch(() => undefined);
  await expect.poll(async () => (await client.inspect({ name })).waiters.length).toBe(1);
  await signIn(context, server, admin);

  await page.goto(`${server.url}/waits`);
  const blockers = page.getByRole('region', { name: 'Head blockers' });
  const link = { name: 'Open trace' };
  await expect(blockers.getByRole('link', link)).toHaveAttribute('href', addressOf(ONE));

  await page.goto(`${server.url}/holders`);
  await page.locator('td .holder-toggle').first().click();
  const held = page.locator('.process-panel tr', { hasText: name });
  await expect(held.getByRole('link', link)).toHaveAttribute('href', addressOf(ONE));
  end.abort();
  await waiting;
});
