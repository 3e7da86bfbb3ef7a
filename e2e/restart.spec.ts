import type { Page, Request } from 'playwright/test';
import type { LockyardClient } from '../client/lockyard';
import { DEFAULT_POLICY } from '../server/contract/namespace-policy';
import { lockPath } from '../server/core/paths/console-path';
import { cell, countLoads, lockRow, openLive } from './locks-page';
import {
  callConsole,
  createService,
  expect,
  test as sharedTest,
  signIn,
  waitFor,
} from './lockyard-test';
import { type OwnMariadb, startOwnMariadb } from './own-mariadb';
import { type RunningServer, startServer } from './start-server';

/** The server of these tests stores everything in a database that they may stop. */
const test = sharedTest.extend<object, { database: OwnMariadb; server: RunningServer }>({
  database: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads fixtures from it
    async ({}, use) => {
      const database = await startOwnMariadb({ durable: true });
      await use(database);
      await database.discard();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  server: [
    async ({ database }, use) => {
      const server = await startServer({ LOCKYARD_DATABASE_URL: database.url });
      await use(server);
      await server.discard();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
});

let orders: LockyardClient;
test.beforeAll(async ({ server, admin }) => {
  orders = await createService(server, admin, 'orders');
});
test.beforeEach(({ context, server, admin }) => signIn(context, server, admin));

async function take(name: string): Promise<number> {
  const answer = await orders.acquire({ name, leaseMs: 600_000 });
  if (answer.outcome !== 'granted') throw new Error(answer.outcome);
  return answer.token;
}

async function takeAndRelease(name: string): Promise<void> {
  await orders.release({ name, token: await take(name) });
}

/**
 * Expects the page to say, while no server answers, how old its data is and that it reconnects.
 */
async function expectOffline(page: Page): Promise<void> {
  await expect(page.getByText(/Last update\s+\d+(\.\d)?\ss ago/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible();
  await expect(page.getByText(/Connection lost\. Showing the last known state/)).toBeVisible();
}

async function expectOnline(page: Page): Promise<void> {
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await expect(page.getByText(/Connection lost/)).toHaveCount(0);
}

const endings: [string, string, (server: RunningServer) => Promise<unknown>][] = [
  ['is restarted', '', (server) => server.stop()],
  ['dies and comes back', ' @long', (server) => server.kill()],
];

test('a page that receives nothing after its first paint says how old its data is', async ({
  page,
}) => {
  const name = 'unheard of';
  await take(name);
  await page.route('**/api/trpc/locks.watchDetail*', () => undefined);
  await page.goto(lockPath('default', name));
  await expectOffline(page);
});

test('a page or dialog without a server does not call a renewal overdue @long', async ({
  page,
  context,
  server,
}) => {
  const name = 'renewed in time';
  const leaseMs = 30_000;
  const held = await orders.acquire({ name, leaseMs });
  if (held.outcome !== 'granted') throw new Error(held.outcome);
  const renew = () => orders.renew({ name, token: held.token, leaseMs });
  await renew();
  await openLive(page, lockPath('default', name));
  const acting = await context.newPage();
  await openLive(acting, lockPath('default', name));
  await acting.getByRole('button', { name: 'Force release…' }).click();
  const dialog = acting.getByRole('dialog');
  await renew();
  await expect(dialog).toContainText('2 times, next due in');
  const holder = page.getByRole('region', { name: 'Holder' });
  // Until the page marks its data as old, the renewal would be overdue.
  await expect(holder).toContainText(/due in [1-3]\ss/, { timeout: 20_000 });
  await server.kill();
  await expectOffline(page);
  await expect(holder).toContainText('unknown · 2 at last update');
  await expect(page.locator('.lock-sentence')).toContainText(/^Held .*Last known state\.$/);
  await expect(page.locator('.lock-sentence')).not.toContainText('overdue');
  const impact = page.getByRole('region', { name: 'Impact of release' });
  await expect(impact).toContainText(/last update \d+(\.\d)?\ss ago/);
  await expect(dialog).toContainText(/last update \d+(\.\d)?\ss ago/);
  await expect(dialog).toContainText('2 times at last update');
  await expect(dialog).not.toContainText('overdue');
  await server.restart();
});

/** The widths at which the sentence of a lock has more lines once it is marked as old. */
function widthsWhereItGrows(old: HTMLElement): number[] {
  const live = old.cloneNode(true) as HTMLElement;
  live.dataset.stale = 'false';
  for (const part of live.children) if (/Last known/.test(part.textContent ?? '')) part.remove();
  old.after(live);
  const heightAt = (sentence: HTMLElement, width: number) => {
    sentence.style.flex = `0 0 ${width}px`;
    return sentence.offsetHeight;
  };
  const widths = Array.from({ length: 400 }, (_, i) => 300 + i);
  return widths.filter((width) => heightAt(old, width) !== heightAt(live, width));
}

test('the page of a lock does not move when its server is gone @long', async ({
  page,
  server,
  admin,
}) => {
  const policy = { ...DEFAULT_POLICY, stuckAfterMs: 1_000 };
  await callConsole(server, admin.cookie, 'namespaces.create', { name: 'quick', policy });
  const mill = await createService(server, admin, 'mill', ['quick']);
  const ask = { namespace: 'quick', name: 'does not move', leaseMs: 600_000 };
  await mill.acquire(ask);
  const waiting = waitFor(mill, { ...ask, owner: 'the next one of many', waitMs: 60_000 });
  const sizes = [900, 960, 1_020, 1_080, 1_140].map((width) => ({ width, height: 900 }));
  const tops = async () => {
    const found: Record<string, number[]> = {};
    for (const size of sizes) {
      await page.setViewportSize(size);
      found[size.width] = await page
        .locator('.lock-page > *, .lock-panels > *')
        .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().top));
    }
    return found;
  };
  await openLive(page, lockPath(ask.namespace, ask.name));
  await expect(page.getByText('Force release, and grant to the next one of many')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Timeline' }).getByRole('figure')).toBeVisible();
  // Offline, the sentence returns to the last known state, which must have as many digits.
  const sentence = page.locator('.lock-sentence');
  const held = /Held for ([678]|1[6-9]|[2-4]\d)\ss/;
  await expect(sentence).toContainText(held, { timeout: 40_000 });
  const before = await tops();
  await server.kill();
  await expectOffline(page);
  await expect(page.getByText('The state of the lock is not known.')).toBeVisible();
  expect(await tops()).toEqual(before);
  expect(await sentence.evaluate(widthsWhereItGrows)).toEqual([]);
  await server.restart();
  expect(await waiting).toBe('gone');
});

// The test before has left an incident.
test('that the server is gone is said once for a page, and its panels do not move @long', async ({
  page,
  context,
  server,
}) => {
  const insights = await context.newPage();
  await insights.goto('/insights');
  const list = insights.getByRole('region', { name: 'Incidents' }).locator('ol');
  await expect(list).toBeAttached();
  const listBefore = await list.boundingBox();
  const name = 'said once';
  await take(name);
  await openLive(page, lockPath('default', name));
  const charts = page.getByRole('region', { name: 'Wait and hold times' });
  await expect(charts.getByRole('figure')).toBeVisible();
  const chartsBefore = await charts.boundingBox();
  let failed = 0;
  page.on('requestfailed', (request) => {
    if (request.url().includes('insights.lock')) failed += 1;
  });
  await server.kill();
  await expectOffline(page);
  const note = insights.getByText('Connection lost. Showing the last known state.');
  await expect(note).toBeVisible({ timeout: 40_000 });
  // A read is given up after three attempts; the fourth is that of the next read.
  await expect.poll(() => failed, { timeout: 60_000 }).toBeGreaterThan(3);
  for (const each of [page, insights]) {
    await expect(each.getByText('Showing last known data')).toHaveCount(0);
  }
  await expect(page.getByRole('alert').filter({ hasText: 'Server' })).toHaveCount(0);
  expect((await charts.boundingBox())?.height).toBe(chartsBefore?.height);
  expect((await list.boundingBox())?.y).toBe(listBefore?.y);
  await server.restart();
  await expectOnline(page);
  await expect(note).toHaveCount(0, { timeout: 40_000 });
  await insights.close();
});

for (const [what, tag, end] of endings) {
  test(`a server that ${what} under open pages: they keep their data, and go on${tag}`, async ({
    page: list,
    context,
    server,
  }) => {
    const name = `survivor that ${what}`;
    const token = await take(name);
    const released = `${name}, released`;
    await takeAndRelease(released);
    const lock = await context.newPage();
    await openLive(list, '/?q=survivor that');
    await openLive(lock, lockPath('default', name));
    const loads = [countLoads(list), countLoads(lock)];
    const row = lockRow(list, name);
    await expect(cell(row, 'lease')).toHaveText(/^0[89]:\d\d$/);

    await end(server);
    await Promise.all([expectOffline(list), expectOffline(lock)]);
    await expect(cell(row, 'lease')).toHaveText('?');
    await expect(cell(lockRow(list, released), 'state')).toContainText('last known: released');
    await expect(cell(row, 'owner')).toContainText('orders-1');
    await expect(cell(row, 'state')).not.toContainText('Free');
    await expect(lock.getByRole('region', { name: 'Holder' })).toContainText('orders-1');
    for (const label of ['Force release…', 'I’m on it']) {
      await expect(lock.getByRole('button', { name: label })).toBeDisabled();
    }

    await server.restart();
    await Promise.all([expectOnline(list), expectOnline(lock)]);
    await expect(cell(row, 'state')).toContainText('Held');
    await expect(cell(row, 'lease')).toHaveText(/^0[89]:\d\d$/);
    await expect(lock.getByRole('button', { name: 'Force release…' })).toBeEnabled();
    expect(await orders.check({ name, token })).toEqual({ valid: true });
    await orders.release({ name, token });
    await expect(cell(row, 'state')).toContainText('Free');
    await expect(lock.getByText('Not held.', { exact: true })).toBeVisible();
    expect(loads.map((count) => count())).toEqual([0, 0]);
    await lock.close();
  });
}

/** Waits until a page has the code of a lock's page, which a list loads once it is live for 5 s. */
async function untilLockPageLoaded(page: Page): Promise<void> {
  const loading = new Set<Request>();
  const isScript = (request: Request) => request.resourceType() === 'script';
  page.on('request', (request) => void (isScript(request) && loading.add(request)));
  page.on('requestfinished', (request) => loading.delete(request));
  await page.waitForResponse(
    async (answer) => isScript(answer.request()) && (await answer.text()).includes('lock-panels'),
    { timeout: 60_000 },
  );
  await expect.poll(() => loading.size).toBe(0);
}

test('a link followed while no server answers opens a page with the age of its data', async ({
  page: list,
  context,
  server,
}) => {
  const name = 'opened while away';
  const backends = await context.newPage();
  const ahead = untilLockPageLoaded(list);
  ahead.catch(() => undefined);
  await openLive(list, '/?q=opened while');
  await take(name);
  await backends.goto('/backends');
  await expect(lockRow(list, name)).toBeVisible();
  await ahead;
  await server.kill();
  await expectOffline(list);
  await list.getByRole('link', { name }).click();
  await expect(list.getByRole('heading', { level: 1 })).toContainText(name);
  expect(await list.getByText('Live', { exact: true }).count()).toBe(0);
  await expectOffline(list);

  await expect(backends.getByRole('list', { name: 'Backends' })).toContainText('unknown');
  await backends.getByRole('link', { name: 'Waits', exact: true }).click();
  await expect(backends.getByText('The page opens once it is back.')).toBeVisible();
  await server.restart();
  await expect(backends).toHaveURL(/\/waits$/);
  await expectOnline(list);
  await backends.close();
});

test('a link followed while the server hangs says within seconds what it waits for', async ({
  page,
  server,
}) => {
  await openLive(page, '/?view=all');
  process.kill(server.pid, 'SIGSTOP');
  try {
    await expectOffline(page);
    await page.getByRole('link', { name: 'Audit', exact: true }).click();
    await expect(page.getByText('The page opens once it is back.')).toBeVisible();
  } finally {
    process.kill(server.pid, 'SIGCONT');
  }
  await expect(page).toHaveURL(/\/audit$/);
  // For a moment the server considers its database unresponsive.
  const isServing = () => takeAndRelease('after the pause').then(() => true, reasonOf);
  await expect.poll(isServing).toBe(true);
});

// The engine's tests of waits over restarts prove it too.
test('waiters of a killed server have waited since their first request @long', async ({
  server,
}) => {
  const names = ['waited for', 'waited for as well'] as const;
  const [name] = names;
  const token = await take(name);
  const patient = { leaseMs: 60_000, waitMs: 60_000 };
  const waitedMsOf = (owner: string) => async () => {
    const asked = { name, owner, ...patient, requestId: owner };
    const answer = await orders.acquire(asked);
    if (answer.outcome !== 'granted') throw new Error(answer.outcome);
    await orders.release({ name, owner, token: answer.token });
    return answer.waitedMs;
  };
  const waitedMsOfMultiLock = async () => {
    const owner = 'both';
    const locks = names.map((each) => ({ name: each }));
    const answer = await orders.acquireMany({ locks, owner, ...patient, requestId: owner });
    if (answer.outcome !== 'granted') throw new Error(answer.outcome);
    for (const each of answer.grants) {
      await orders.release({ name: each.name, owner, token: each.token });
    }
    return Math.min(...answer.grants.map(({ waitedMs }) => waitedMs));
  };
  const callers = [waitedMsOf('w1'), waitedMsOf('w2'), waitedMsOf('w3'), waitedMsOfMultiLock];
  const untilQueued = (count: number) =>
    expect.poll(async () => (await orders.inspect({ name })).waiters.length).toBe(count);

  const calls = callers.map((call) => call().then(() => 'granted', reasonOf));
  await untilQueued(callers.length);
  const queuedAt = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const beforeKillMs = performance.now() - queuedAt;
  await server.kill();
  expect(await Promise.all(calls)).not.toContain('granted');
  await server.restart();

  const [first, ...others] = callers;
  if (!first) throw new Error('There is no caller.');
  const again = [first()];
  await untilQueued(1);
  again.push(...others.map((call) => call()));
  await untilQueued(callers.length);
  await orders.release({ name, token });
  for (const waitedMs of await Promise.all(again)) {
    expect(waitedMs).toBeGreaterThanOrEqual(Math.floor(beforeKillMs));
  }
});

type OnDatabase<T> = (database: OwnMariadb) => T;

/** The bad days of the stores prove in the short run, too, that locks outlive a killed database. */
const outages: [string, string, OnDatabase<void>, OnDatabase<Promise<void> | void>][] = [
  ['falls silent', '', (database) => database.freeze(), (database) => database.thaw()],
  ['dies', ' @long', (database) => database.kill(), (database) => database.start()],
];

for (const [what, tag, fail, mend] of outages) {
  test(`a database that ${what}: services learn it, pages show unknown, all recover${tag}`, async ({
    page: list,
    context,
    database,
  }) => {
    const [held, free] = [`held as it ${what}`, `free as it ${what}`];
    const token = await take(held);
    await takeAndRelease(free);
    const lock = await context.newPage();
    await openLive(list, `/?q=as it ${what}`);
    await openLive(lock, lockPath('default', held));
    await expect(cell(lockRow(list, held), 'state')).toContainText('Held');
    await expect(cell(lockRow(list, free), 'state')).toContainText('Free');
    await expect(cell(lockRow(list, held), 'held')).toContainText(/^([2-9](\.\d)?|\d\d)s/);

    fail(database);
    try {
      const calls = [
        () => orders.renew({ name: held, token, leaseMs: 600_000 }),
        () => orders.check({ name: held, token }),
      ];
      for (const reason of await Promise.all(calls.map(refusalWithin5s))) {
        expect(['BACKEND_DOWN', 'UNKNOWN']).toContain(reason);
      }
      for (const name of [held, free]) {
        await expect(cell(lockRow(list, name), 'state')).toContainText('Unknown');
        await expect(cell(lockRow(list, name), 'state')).toContainText(
          /default not responding \(\d+\ss\)/,
        );
      }
      await expect(cell(lockRow(list, held), 'owner')).toContainText('orders-1');
      await expect(cell(lockRow(list, held), 'held')).toContainText(/^≥\s([1-9](\.\d)?|\d\d)s/);
      await expect(list.locator('[data-figure="unknown"]')).toContainText(/Unknown[1-9]/);
      await expect(list.getByTitle('Not responding: default')).toBeVisible();
      await expect(lock.getByRole('region', { name: 'Holder' })).toContainText(
        /at least ([1-9](\.\d)?|\d\d)\ss/,
      );
      await expect(
        lock.getByText(/State unknown: backend “default” has not responded for \d+\ss\./),
      ).toBeVisible();
      if (what === 'falls silent') {
        const { bar, page } = await silencesOf(lock);
        // Both run on; on a busy machine one misses a second that the other draws.
        expect(page.size).toBeGreaterThan(1);
        expect(bar.size).toBeGreaterThan(page.size / 2);
      }
      await expect(lock.getByRole('region', { name: 'Holder' })).toContainText('orders-1');
      // On a busy machine the database still accepts some renewals before it is stopped.
      await expect(lock.getByRole('region', { name: 'Holder' })).toContainText(
        /unknown · \d+ at last update/,
      );
      await expect(lock.getByRole('button', { name: 'Force release…' })).toBeDisabled();

      const fresh = await context.newPage();
      await fresh.goto(`/?q=as it ${what}`);
      await expect(cell(lockRow(fresh, free), 'state')).toContainText('Unknown');
      await fresh.goto('/backends');
      await expect(fresh.getByText(/no response for \d+\s[sm]/)).toBeVisible();
      await fresh.close();
    } finally {
      await mend(database);
    }
    const backAt = performance.now();
    await expect(cell(lockRow(list, held), 'state')).toContainText('Held');
    await expect(cell(lockRow(list, free), 'state')).toContainText('Free');
    await expect(lock.getByRole('button', { name: 'Force release…' })).toBeEnabled();
    await expect
      .poll(() => orders.check({ name: held, token }).catch(reasonOf))
      .toEqual({
        valid: true,
      });
    expect(performance.now() - backAt).toBeLessThan(15_000);
    await orders.release({ name: held, token });
    await expect(cell(lockRow(list, held), 'state')).toContainText('Free');
    await lock.close();
  });
}

/**
 * For how many seconds the backend has not responded, as the top bar and the page of a lock say it
 * in the course of 7 s.
 */
async function silencesOf(lock: Page) {
  const shown = { bar: new Set<number>(), page: new Set<number>() };
  const look = async () => {
    const [bar, page] = await lock.evaluate(() =>
      ['[aria-label="Backends"]', '.lock-sentence'].map((where) => {
        const text = document.querySelector(where)?.textContent ?? '';
        return Number(/(\d+)\ss/.exec(text)?.[1] ?? Number.NaN);
      }),
    );
    return { bar: bar ?? Number.NaN, page: page ?? Number.NaN };
  };
  const isShown = async () => Object.values(await look()).every((seconds) => seconds >= 0);
  await expect.poll(isShown, { message: 'both places show the time' }).toBe(true);
  for (let i = 0; i < 15; i += 1) {
    const { bar, page } = await look();
    shown.bar.add(bar);
    shown.page.add(page);
    await lock.waitForTimeout(450);
  }
  return shown;
}

const reasonOf = (error: unknown) => (error as { reason?: string }).reason ?? String(error);

/** The refusal of the first refused call: while the database goes away, one may still succeed. */
async function refusalWithin5s(call: () => Promise<unknown>): Promise<string> {
  for (;;) {
    const startedAt = performance.now();
    const reason = await call().then(() => null, reasonOf);
    // The promise is 5 s; the rest is for a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    if (reason) return reason;
  }
}
