import { setTimeout as pause } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright/test';
import { MINUTE_MS } from '@/server/core/time-units';
import { LockyardClient } from '../client/lockyard';
import { cell, lockRow, openLive } from './locks-page';
import {
  callConsole,
  createKey,
  expect,
  type Person,
  setUp,
  signIn,
  test,
  waitFor,
} from './lockyard-test';
import { type RunningServer, startServer } from './start-server';

// Minutes long, so `npm run test:long` alone runs it.

test.describe.configure({ timeout: 15 * 60_000 });
test.use({ baseURL: undefined });

const LEASE = { leaseMs: 60 * MINUTE_MS };
const HEAP_MAX_BYTES = 8 * 1024 * 1024;

let server: RunningServer;
let admin: Person;
let apiKey: string;
test.beforeAll(async () => {
  server = await startServer();
  admin = await setUp(server);
  apiKey = await createKey(server, admin, 'nightly');
});
test.afterAll(() => server?.discard());

const owner = (name: string) => new LockyardClient({ url: server.url, apiKey, owner: name });

async function take(by: string, name: string, more: object = {}): Promise<number> {
  const answer = await owner(by).acquire({ name, ...LEASE, ...more });
  if (answer.outcome !== 'granted') throw new Error(answer.outcome);
  return answer.token;
}

/** Makes a page hidden, or visible again, as its browser would. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    const state = hidden ? 'hidden' : 'visible';
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

async function heapBytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize;
}

test('a tab that was hidden for a night is up to date within seconds, with no more memory', async ({
  page,
}) => {
  const token = await take('evening', 'passed-on');
  await page.clock.install();
  await signIn(page.context(), server, admin);
  await openLive(page, `${server.url}/?view=all&q=passed-on`);
  const row = lockRow(page, 'passed-on');
  await expect(cell(row, 'owner')).toContainText('evening');
  const session = await page.context().newCDPSession(page);
  const before = await heapBytes(session);

  await setHidden(page, true);
  await session.send('Page.setWebLifecycleState', { state: 'frozen' });
  // More changes than a stream keeps for a reader that does not read it.
  for (let i = 0; i < 60; i += 1) {
    const names = Array.from({ length: 50 }, (_, j) => `night:${j}`);
    await Promise.allSettled(names.map((name) => take(`worker-${i}`, name, { leaseMs: 1_000 })));
    await pause(400);
  }
  await owner('evening').release({ name: 'passed-on', token });
  await take('morning', 'passed-on');
  await session.send('Page.setWebLifecycleState', { state: 'active' });
  await page.clock.fastForward('09:00:00');
  await setHidden(page, false);

  await expect(cell(row, 'owner')).toContainText('morning', { timeout: 15_000 });
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  // By the server's clock, whatever the clock of the browser shows.
  await expect(cell(row, 'held')).toContainText(/^\d{1,2}.?s/);
  expect((await heapBytes(session)) - before).toBeLessThan(HEAP_MAX_BYTES);
});

/** Nothing on them is older than this spec, and every lease lasts an hour. */
const PAGES = [
  ...['/?view=all', '/locks/default/timed', '/locks/default/lapsed', '/holders', '/waits'],
  ...['/insights', '/alerts', '/counters', '/audit', '/namespaces', '/backends', '/settings'],
];

/** How they show the lease of an hour a few minutes after its grant. */
const COUNTDOWNS: Record<string, RegExp> = {
  '/?view=all': /^5[5-9]:\d\d$/m,
  '/locks/default/timed': /^frees in 5[5-9]:\d\d$/m,
};

/**
 * Every length of time that a text names, in milliseconds: `1 h 2 m`, `4 m 12 s`, `3.6s`. Running
 * countdowns, such as `59:52`, look like times of day, so they are not among these.
 */
function durationsIn(text: string): number[] {
  const parts = /\b(?:(\d+)\s?h\s?)?(?:(\d+)\s?m\s?)?(?:(\d+(?:\.\d+)?)\s?s)?\b/g;
  const found = [...text.matchAll(parts)].filter(([whole]) => whole !== '');
  return found.map(
    ([, h = 0, m = 0, s = 0]) => (Number(h) * 60 + Number(m)) * MINUTE_MS + Number(s) * 1_000,
  );
}

test("a browser whose clock is off by minutes shows ages and countdowns by the server's", async ({
  browser,
}) => {
  await take('timed-1', 'timed', { meta: { host: 'host-4', pid: '7' } });
  const waiter = owner('timed-2');
  void waitFor(waiter, { name: 'timed', owner: 'timed-2', ...LEASE });
  const waiters = async () => (await waiter.inspect({ name: 'timed' })).waiters.length;
  await expect.poll(waiters).toBe(1);
  await take('lapsed-1', 'lapsed', { leaseMs: 300 });
  const reason = 'its clock is looked at';
  const seen = { namespace: 'default', name: 'timed', rev: 1, reason };
  await callConsole(server, admin.cookie, 'locks.freeze', seen);
  await callConsole(server, admin.cookie, 'counters.create', {
    ...{ namespace: 'default', name: 'stock', floor: 0, initial: 1, reason },
  });
  for (const offMs of [-17 * MINUTE_MS, 17 * MINUTE_MS]) {
    const context = await browser.newContext({ timezoneId: 'UTC' });
    await signIn(context, server, admin);
    const page = await context.newPage();
    await page.clock.install({ time: Date.now() + offMs });
    let seenDurations = 0;
    for (const address of PAGES) {
      await page.goto(`${server.url}${address}`);
      await expect(page.locator('main')).toBeVisible();
      // By now every countdown has advanced.
      await pause(3_000);
      const text = await page.locator('main').innerText();
      const durations = durationsIn(text.replaceAll('\u00a0', ' '));
      const isOff = (ms: number) => ms > 10 * MINUTE_MS && ms < 50 * MINUTE_MS;
      expect(durations.filter(isOff), `${address}, ${offMs} ms off:\n${text}`).toEqual([]);
      expect(durations.filter((ms) => ms > 60 * MINUTE_MS && ms < 120 * MINUTE_MS)).toEqual([]);
      const countdown = COUNTDOWNS[address];
      if (countdown) expect(text).toMatch(countdown);
      seenDurations += durations.length;
    }
    expect(seenDurations).toBeGreaterThan(0);
    await context.close();
  }
});
