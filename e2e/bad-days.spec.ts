import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright/test';
import { LockyardClient } from '../client/lockyard';
import { cell, lockRow, openLive } from './locks-page';
import {
  callConsole,
  createKey,
  createService,
  expect,
  type Person,
  setUp,
  signIn,
  test,
} from './lockyard-test';
import { startOwnMariadb } from './own-mariadb';
import { type RunningServer, startServer } from './start-server';

// Bad days of a fleet with a page open: minutes long, so `npm run test:long` alone runs them.

test.describe.configure({ mode: 'serial', timeout: 15 * 60_000 });
test.use({ baseURL: undefined });

const LEASE = { leaseMs: 3_600_000 };
const AT_ONCE = 20;
const LOCKS = 100_000;

/** What a page promises to show at the latest, with room for a slow machine. */
const SHOWN_WITHIN_MS = 60_000;

/** Acquires locks, many in one request; returns its status. */
async function takeMany({ url }: RunningServer, apiKey: string, asks: readonly object[]) {
  const path = new Array(asks.length).fill('lock.acquire').join(',');
  const reply = await fetch(`${url}/api/v1/${path}?batch=1`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(Object.fromEntries(asks.map((ask, i) => [i, ask]))),
  });
  return reply.status;
}

/** Repeats a request until it is granted: a request ends with its server, or after 25 s. */
async function untilGranted(client: LockyardClient, name: string): Promise<number> {
  for (;;) {
    const ask = { name, ...LEASE, waitMs: 600_000, requestId: `patient ${name}` };
    const answer = await client.acquire(ask).catch(() => null);
    if (answer?.outcome === 'granted') return answer.token;
    await pause(200);
  }
}

async function openAs(page: Page, server: RunningServer, admin: Person, address: string) {
  await signIn(page.context(), server, admin);
  await openLive(page, `${server.url}${address}`);
}

test.describe('one server', () => {
  let server: RunningServer;
  let admin: Person;
  test.beforeAll(async () => {
    server = await startServer();
    admin = await setUp(server);
  });
  test.afterAll(() => server?.discard());

  test('of a hundred thousand held locks the list finds one, and shows stuck ones first', async ({
    page,
  }) => {
    const apiKey = await createKey(server, admin, 'masses');
    for (let from = 0; from < LOCKS; from += AT_ONCE * 10) {
      const batches = Array.from({ length: 10 }, (_, b) =>
        Array.from({ length: AT_ONCE }, (_, i) => {
          const place = from + b * AT_ONCE + i;
          return { name: `mass:${String(place).padStart(6, '0')}`, owner: `o-${place}`, ...LEASE };
        }),
      );
      const codes = await Promise.all(batches.map((asks) => takeMany(server, apiKey, asks)));
      expect(new Set(codes)).toEqual(new Set([200]));
    }
    await openAs(page, server, admin, '/?view=all&q=mass:&sort=name');
    await expect(lockRow(page, 'mass:000000')).toBeVisible({ timeout: SHOWN_WITHIN_MS });
    await expect(page.getByRole('grid', { name: 'Locks' })).toHaveAttribute(
      'aria-rowcount',
      String(LOCKS + 1),
      { timeout: SHOWN_WITHIN_MS },
    );
    const grid = page.getByRole('grid', { name: 'Locks' });
    for (const place of [50_000, 99_999]) {
      await grid.evaluate((element, share) => {
        const frame = element.parentElement as HTMLElement;
        frame.scrollTop = share * frame.scrollHeight;
      }, place / LOCKS);
      const name = `mass:${String(place).padStart(6, '0')}`;
      await expect(lockRow(page, name)).toBeInViewport({ timeout: SHOWN_WITHIN_MS });
    }
    await page.getByRole('searchbox').fill('mass:073219');
    await expect(lockRow(page, 'mass:073219')).toBeVisible({ timeout: SHOWN_WITHIN_MS });
    // The other namespace is full.
    const namespace = 'elsewhere';
    await callConsole(server, admin.cookie, 'namespaces.create', { name: namespace });
    const other = await createService(server, admin, 'lapsing', [namespace]);
    await other.acquire({ namespace, name: 'left-behind', leaseMs: 500 });
    await openLive(page, `${server.url}/`);
    await expect(cell(lockRow(page, 'left-behind', namespace), 'state')).toContainText('Expired', {
      timeout: SHOWN_WITHIN_MS,
    });
  });
});

test('the survivor of two servers over one database serves the callers of both', async ({
  page,
}) => {
  const database = await startOwnMariadb();
  const variables = {
    LOCKYARD_DATABASE_URL: database.url,
    LOCKYARD_SECRET: 'one secret for both of the two processes',
  };
  const one = await startServer(variables);
  let two: RunningServer | null = null;
  try {
    const admin = await setUp(one);
    two = await startServer(variables, /ready on/);
    const apiKey = await createKey(one, admin, 'pair');
    const atOne = new LockyardClient({ url: one.url, apiKey, owner: 'at-one' });
    const atBoth = new LockyardClient({ url: `${one.url},${two.url}`, apiKey, owner: 'at-both' });
    const held = await atOne.acquire({ name: 'shared-day', ...LEASE });
    if (held.outcome !== 'granted') throw new Error(held.outcome);
    const granted = untilGranted(atBoth, 'shared-day');
    await openAs(page, two, admin, '/?view=all');
    const row = lockRow(page, 'shared-day');
    await expect(cell(row, 'waiters')).toContainText('1', { timeout: SHOWN_WITHIN_MS });
    await one.kill();
    // Its page continues without reporting an outage: it learns from the other server.
    await expect(page.getByText('Live', { exact: true })).toBeVisible();
    await expect(cell(row, 'waiters')).toContainText('1', { timeout: SHOWN_WITHIN_MS });
    const atTwo = new LockyardClient({ url: two.url, apiKey, owner: 'at-one' });
    await atTwo.release({ name: 'shared-day', token: held.token });
    await expect(cell(row, 'owner')).toContainText('at-both', { timeout: SHOWN_WITHIN_MS });
    expect(await granted).toBeGreaterThan(held.token);
  } finally {
    await Promise.all([one.discard(), two?.discard()]);
    await database.discard();
  }
});
