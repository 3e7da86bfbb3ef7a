import type { Page } from 'playwright/test';
import { STREAMS_MAX_PER_USER } from '../server/api/rpc/live-stream';
import { DEFAULT_POLICY } from '../server/contract/namespace-policy';
import { lockPath } from '../server/core/paths/console-path';
import { EventStream } from '../test/event-stream';
import { cell, lockRow, openLive } from './locks-page';
import {
  callConsole,
  createPerson,
  createService,
  expect,
  test as sharedTest,
  signIn,
  waitFor,
} from './lockyard-test';
import { type RunningServer, startServer } from './start-server';

/** The server of these tests has a sharded backend, none of whose databases responds. */
const test = sharedTest.extend<object, { server: RunningServer }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads fixtures from it
    async ({}, use) => {
      const shards = 'mysql://root@127.0.0.1:1/first,mysql://root@127.0.0.1:1/second';
      const server = await startServer({ LOCKYARD_BACKEND_SPREAD: shards });
      await use(server);
      await server.discard();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
});

/** The pages that read again and again, and have no stream; `npm run test:long` opens the rest. */
const POLLED = [
  '/backends/spread',
  '/insights',
  '/settings?section=people',
  ...(process.env.TEST_LONG === '1'
    ? [
        '/alerts',
        '/audit',
        '/backends',
        '/lab',
        '/namespaces',
        '/settings',
        '/settings?section=keys',
      ]
    : []),
];

const noteOf = (page: Page) => page.getByText('Connection lost. Showing the last known state.');

/** Where the parts of a page are, from the top. */
const topsOf = (page: Page) =>
  page
    .locator('.page :is(h1, h2, h3, p, tr, li, section, fieldset)')
    .evaluateAll((parts) =>
      parts.map((part) => `${part.tagName} ${Math.round(part.getBoundingClientRect().top)}`),
    );

test('pages that read again and again say once that the server is gone, and do not move', async ({
  context,
  server,
  admin,
}) => {
  await signIn(context, server, admin);
  await createService(server, admin, 'orders');
  const pages = await Promise.all(
    POLLED.map(async (address) => {
      const page = await context.newPage();
      await page.goto(address);
      return { address, page };
    }),
  );
  const before = new Map<string, string[]>();
  for (const { address, page } of pages) {
    // A busy server sends the frame of a page before the page itself.
    await expect(page.locator('.page h1'), address).toBeAttached();
    await expect(page.locator('.page .bone'), address).toHaveCount(0);
    // The fonts change the heights of lines.
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    before.set(address, await topsOf(page));
  }
  await server.kill();
  for (const { address, page } of pages) {
    await expect(noteOf(page), address).toBeVisible({ timeout: 60_000 });
    await expect(noteOf(page), address).toBeInViewport();
    await expect(page.getByText('Showing last known data'), address).toHaveCount(0);
    await expect(page.getByText('Server not responding'), address).toHaveCount(0);
    expect(await topsOf(page), address).toEqual(before.get(address));
  }
  await server.restart();
  for (const { address, page } of pages) {
    await expect(noteOf(page), address).toHaveCount(0, { timeout: 60_000 });
    await page.close();
  }
});

test('no recommendation and no sentence is changed by renewals that no server reports', async ({
  page,
  context,
  server,
  admin,
}) => {
  await signIn(context, server, admin);
  const policy = { ...DEFAULT_POLICY, stuckAfterMs: 1_000 };
  await callConsole(server, admin.cookie, 'namespaces.create', { name: 'quick', policy });
  const mill = await createService(server, admin, 'mill', ['quick']);
  const ask = { namespace: 'quick', name: 'renewed in time', leaseMs: 6_000 };
  const held = await mill.acquire(ask);
  if (held.outcome !== 'granted') throw new Error(held.outcome);
  const waiting = waitFor(mill, { ...ask, owner: 'the next one' });
  const renewing = setInterval(() => {
    void mill.renew({ ...ask, token: held.token }).catch(() => undefined);
  }, 500);
  try {
    await openLive(page, lockPath(ask.namespace, ask.name));
    const recommended = page.getByRole('region', { name: 'Recommended' });
    await expect(recommended).toContainText('Ask to release');
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      const note = () => {
        const parts = ['.recommended:not(.invisible)', '.lock-sentence', '.plain-facts'];
        const texts = parts.map((each) => document.querySelector<HTMLElement>(each)?.innerText);
        seen.push(texts.join(' | '));
      };
      new MutationObserver(note).observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });
    await server.kill();
    await expect(page.getByText('The state of the lock is not known.')).toBeVisible();
    const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.filter((text) => /not being renewed|Nothing to do|overdue/.test(text))).toEqual([]);
    const sentence = await page.locator('.lock-sentence').innerText();
    const held = sentence.match(/^Held for (\d+\ss) /)?.[1];
    await expect(page.getByRole('region', { name: 'Holder' })).toContainText(`${held} ago`);
  } finally {
    clearInterval(renewing);
  }
  expect(await waiting).toBe('gone');
});

// The API's tests of streams prove the limit too.
test('an account with too many live pages reads why a page is not live @long', async ({
  page,
  context,
  server,
  admin,
}) => {
  const name = 'seen by many';
  // The test before has killed it.
  await server.restart();
  const vera = await createPerson(server, admin, 'viewer', 'Vera');
  const orders = await createService(server, admin, 'orders-of-vera');
  await orders.acquire({ name, leaseMs: 600_000 });
  await signIn(context, server, vera);
  const address = `${server.url}/api/trpc/locks.watch?input=${encodeURIComponent('{}')}`;
  const others = await Promise.all(
    Array.from({ length: STREAMS_MAX_PER_USER }, () =>
      EventStream.open(address, { cookie: vera.cookie }),
    ),
  );
  try {
    await Promise.all(others.map((stream) => stream.nextValue()));
    await openLive(page, `/?view=all&q=${name}`);
    const why = 'Too many live pages are open for this account. Close some of them.';
    await expect(page.getByText(`${why} Showing the last known state`)).toBeVisible();
    await expect(page.getByText('Server not responding')).toHaveCount(0);
    await expect(page.getByText('Connection lost')).toHaveCount(0);

    others.pop()?.close();
    await expect(page.getByText('Live', { exact: true })).toBeVisible({ timeout: 20_000 });
    await expect(page.getByText(why)).toHaveCount(0);
    await cell(lockRow(page, name), 'held').click();
    const preview = page.getByRole('complementary', { name: 'Lock preview' });
    await expect(preview.getByText(`${why} Showing the last known state`)).toBeVisible();
  } finally {
    for (const stream of others) stream.close();
  }
});
