import type { Request } from 'playwright/test';
import { visibleText } from '@/server/core/format/visible-text';
import type { LockyardClient } from '../client/lockyard';
import { lockPath } from '../server/core/paths/console-path';
import { cutOf } from './cut-of';
import { cell, countLoads, lockRow, openLive, openPage, untilAlive } from './locks-page';
import { createService, expect, signIn, test, waitFor } from './lockyard-test';
import { guardPage } from './page-guard';

let orders: LockyardClient;
let billing: LockyardClient;
test.beforeAll(async ({ server, admin }) => {
  orders = await createService(server, admin, 'orders');
  billing = await createService(server, admin, 'billing');
});
test.beforeEach(({ context, server, admin }) => signIn(context, server, admin));

test('a lock that a service acquires is on the page within 2 s, and followed live', async ({
  page,
}) => {
  const name = 'stock:sku-1';
  await openLive(page, '/?q=stock:sku');
  const loads = countLoads(page);
  const row = lockRow(page, name);
  const held = await orders.acquire({ name, leaseMs: 60_000 });
  await expect(row).toBeVisible({ timeout: 10_000 });
  await expect(cell(row, 'state')).toContainText('Held');
  await expect(cell(row, 'owner')).toContainText('orders-1');
  await expect(cell(row, 'lease')).toHaveText(/^00:(60|[45]\d)$/);
  const shown = await cell(row, 'lease').innerText();
  await expect.poll(async () => (await cell(row, 'lease').innerText()) < shown).toBe(true);

  const waiting = billing.acquire({ name, leaseMs: 60_000, waitMs: 25_000 });
  await expect(cell(row, 'state')).toContainText('Contended');
  await expect(cell(row, 'waiters')).toContainText(/^1/);
  if (held.outcome !== 'granted') throw new Error(held.outcome);
  await orders.release({ name, token: held.token });
  await expect(cell(row, 'owner')).toContainText('billing-1', { timeout: 10_000 });
  await expect(cell(row, 'waiters')).toHaveText('0');

  const granted = await waiting;
  if (granted.outcome !== 'granted') throw new Error(granted.outcome);
  await billing.release({ name, token: granted.token });
  await expect(cell(row, 'state')).toContainText('Free', { timeout: 10_000 });
  await expect(cell(row, 'owner')).toHaveText('–');
  expect(loads()).toBe(0);
});

test('at every width of the table most of a name is visible, and nothing covers it', async ({
  page,
}) => {
  const name = 'nightly-report:eu';
  await orders.acquire({ name, leaseMs: 600_000 });
  await openLive(page, `/?view=all&q=${name}`);
  for (const width of [920, 1090, 1180, 1280, 1366, 1440, 1920]) {
    await page.setViewportSize({ width, height: 600 });
    const named = await cell(lockRow(page, name), 'name').boundingBox();
    expect(named?.width, `at ${width} px`).toBeGreaterThan(100);
    const link = await lockRow(page, name).getByRole('link').first().boundingBox();
    const where = await lockRow(page, name).locator('.row-where').boundingBox();
    if (!link || !where) continue;
    const isBeside = where.x >= link.x + link.width;
    expect(isBeside || where.y >= link.y + link.height / 2, `at ${width} px`).toBe(true);
  }
});

test('on a tablet a row is as wide as the screen, with all of it on two lines', async ({
  page,
}) => {
  const name = 'tablet:row';
  await orders.acquire({ name, leaseMs: 600_000 });
  const boxOf = async (part: string) => {
    const box = await cell(lockRow(page, name), part).boundingBox();
    if (!box) throw new Error(`The row has no ${part}.`);
    return { ...box, right: box.x + box.width, bottom: box.y + box.height };
  };
  await openLive(page, `/?view=all&q=${name}`);
  for (const width of [640, 768, 899]) {
    await page.setViewportSize({ width, height: 900 });
    const [state, held, lease] = [await boxOf('state'), await boxOf('held'), await boxOf('lease')];
    const [named, owner] = [await boxOf('name'), await boxOf('owner')];
    expect(width - lease.right, `at ${width} px`).toBeLessThan(32);
    expect(state.right, `at ${width} px`).toBeLessThanOrEqual(held.x);
    expect(held.right, `at ${width} px`).toBeLessThanOrEqual(lease.x);
    expect(named.y, `at ${width} px`).toBeGreaterThanOrEqual(state.bottom - 1);
    expect(Math.abs(owner.y - named.y), `at ${width} px`).toBeLessThan(3);
    const row = await lockRow(page, name).boundingBox();
    expect(row?.height, `at ${width} px`).toBe(62);
  }
});

test('on a common screen owners are fully visible, in the list and among the holders', async ({
  page,
}) => {
  const owner = 'inventory-5d8f:worker-11';
  const meta = { host: 'host-7', pid: '7' };
  await orders.acquire({ name: 'whole-owner', owner, leaseMs: 600_000, meta });
  const shown = page.locator('bdi').filter({ hasText: owner });
  for (const address of ['/?view=all&q=whole-owner', `/holders?q=${owner}`]) {
    await openPage(page, address);
    for (const width of [1280, 1366, 1440, 1920]) {
      await page.setViewportSize({ width, height: 600 });
      await expect.poll(() => cutOf(shown), `${address}, ${width} px`).toEqual([0, 0]);
    }
  }
});

test('on a common screen the owner of a waiter is fully visible wherever it is shown', async ({
  page,
}) => {
  const name = 'whole-waiter';
  const owner = 'inventory-5d8f:worker-12';
  await orders.acquire({ name, owner: 'inventory-5d8f:worker-11', leaseMs: 600_000 });
  void waitFor(orders, { name, owner, leaseMs: 60_000 });
  const queue = page.getByRole('region', { name: 'Queue', exact: true });
  const queued = queue.locator('bdi').filter({ hasText: owner });
  const step = page.getByText(`to ${owner}`, { exact: true });
  await openLive(page, lockPath('default', name));
  for (const width of [1024, 1280, 1366, 1440, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(() => cutOf(queued), `in the queue, ${width} px`).toEqual([0, 0]);
    await expect.poll(() => cutOf(step), `among the acts, ${width} px`).toEqual([0, 0]);
  }
});

test('the page of an unknown name says so and offers a similar one until the name is used', async ({
  page,
}) => {
  await orders.acquire({ name: 'ledger:november', leaseMs: 600_000 });
  await openLive(page, lockPath('default', 'ledger:novmeber'));
  const header = page.locator('main header').first();
  await expect(header).toContainText('No lock by this name is known in default.');
  await expect(page.getByText('Free', { exact: true })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Freeze…' })).toHaveCount(0);
  const similar = page.getByRole('region', { name: 'Similar names' });
  await expect(similar.getByRole('link', { name: 'ledger:november' })).toBeVisible();
  await expect(page.getByText('"namespace":"default","name":"ledger:novmeber"')).toBeVisible();
  await orders.acquire({ name: 'ledger:novmeber', leaseMs: 600_000 });
  await expect(header).toContainText(/Held for .* by orders-1/);
  await expect(similar).toHaveCount(0);
});

test('search, filters and order are in the URL and survive a reload', async ({ page }) => {
  for (const letter of ['a', 'b', 'c']) {
    await orders.acquire({ name: `shelf-${letter}`, leaseMs: 600_000 });
  }
  const free = await orders.acquire({ name: 'shelf-free', leaseMs: 600_000 });
  if (free.outcome === 'granted') await orders.release({ name: 'shelf-free', token: free.token });
  await orders.acquire({ name: 'elsewhere', leaseMs: 600_000 });
  const names = () => page.locator('[data-cell="name"] a bdi').evaluateAll(titlesOf);

  await openLive(page, '/');
  await page.getByRole('searchbox', { name: 'Search locks' }).fill('shelf-');
  await expect(page).toHaveURL(/\?q=shelf-$/);
  await page.getByRole('button', { name: 'state: any' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Held' }).click();
  await expect(page).toHaveURL(/state=held/);
  await page.getByRole('button', { name: 'Lock', exact: true }).click();
  await expect(page).toHaveURL(/sort=name/);
  await expect.poll(names).toEqual(['shelf-a', 'shelf-b', 'shelf-c']);
  await page.getByRole('button', { name: 'Lock', exact: true }).click();
  await expect(page).toHaveURL(/order=descending/);
  await expect.poll(names).toEqual(['shelf-c', 'shelf-b', 'shelf-a']);

  await page.reload();
  await expect.poll(names).toEqual(['shelf-c', 'shelf-b', 'shelf-a']);
  await expect(page.getByRole('searchbox', { name: 'Search locks' })).toHaveValue('shelf-');
  await page.getByRole('button', { name: 'Remove filter: state = Held' }).click();
  await expect.poll(names).toEqual(['shelf-free', 'shelf-c', 'shelf-b', 'shelf-a']);
  await page.getByRole('searchbox', { name: 'Search locks' }).fill('no such shelf');
  await expect(page.getByText('No locks match these filters.')).toBeVisible();
});

test('an address without a lock name leads to the locks of its namespace, or to all', async ({
  page,
}) => {
  await orders.acquire({ name: 'shortened', leaseMs: 60_000 });
  await openLive(page, '/locks/default');
  await expect(page).toHaveURL('/?namespace=default');
  await expect(lockRow(page, 'shortened')).toBeVisible();
  await openLive(page, '/locks/');
  await expect(page).toHaveURL('/');
});

test('a new filter is applied at once, even while the pointer moves over the rows', async ({
  page,
}) => {
  const [held, free] = ['tide:in', 'tide:out'];
  await orders.acquire({ name: held, leaseMs: 600_000 });
  const grant = await orders.acquire({ name: free, leaseMs: 600_000 });
  if (grant.outcome !== 'granted') throw new Error(grant.outcome);
  await orders.release({ name: free, token: grant.token });
  await openLive(page, '/?view=all&q=tide:');
  const box = await lockRow(page, held).boundingBox();
  if (!box) throw new Error('The row is not drawn.');
  await page.getByRole('button', { name: 'state: any' }).click();
  await page.getByRole('menuitemcheckbox', { name: /^Free/ }).click();
  let step = 0;
  // As long as the pointer moves, rows may keep their places for 15 s.
  await expect(async () => {
    step += 1;
    await page.mouse.move(box.x + box.width / 2 + (step % 20), box.y + box.height / 2);
    expect(step).toBeGreaterThan(20);
    expect(await lockRow(page, held).count()).toBe(0);
  }).toPass({ timeout: 10_000, intervals: [20] });
  await expect(lockRow(page, free)).toBeVisible();
});

test('a hidden tab frees its connection, one of six, and continues when it is visible', async ({
  page,
}) => {
  const name = 'harbour:light';
  await openLive(page, `/?q=${name}`);
  const setHidden = (isHidden: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);
  const isList = (request: Request) => request.url().includes('/api/trpc/locks.watch');
  const ended = page.waitForEvent('requestfailed', isList);
  await setHidden(true);
  await ended;
  await orders.acquire({ name, leaseMs: 600_000 });
  const begun = page.waitForRequest(isList);
  await setHidden(false);
  await begun;
  await expect(cell(lockRow(page, name), 'state')).toContainText('Held');
  await expect(page.getByText('Connection lost')).toHaveCount(0);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
});

test('the keyboard can search, move between rows and open them', async ({ page }) => {
  for (const place of [1, 2, 3]) {
    await orders.acquire({ name: `gate-${place}`, leaseMs: 600_000 });
  }
  await openLive(page, '/?sort=name');
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: 'Search locks' })).toBeFocused();
  await page.keyboard.type('gate-');
  await expect(page).toHaveURL(/q=gate-/);
  await expect(lockRow(page, 'gate-3')).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(4);
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await expect(lockRow(page, 'gate-1')).toBeFocused();
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: 'Search locks' })).toHaveValue('gate-');
  await page.keyboard.press('Enter');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await expect(lockRow(page, 'gate-3')).toBeFocused();
  await page.keyboard.press('k');
  await expect(lockRow(page, 'gate-2')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('gate-2');
  // One call: the second key must follow within 2 s.
  await page.keyboard.type('gl');
  await expect(page.getByRole('grid', { name: 'Locks' })).toBeVisible();
});

test('a key whose act is not possible says why', async ({ page }) => {
  // A narrow window would show the note in another place. It is shown for 3 s only.
  const expectNote = (key: string, note: string) =>
    expect(async () => {
      await page.keyboard.press(key);
      const seen = page.getByText(note).filter({ visible: true });
      await expect(seen).toBeVisible({ timeout: 2_000 });
    }).toPass();
  await orders.acquire({ name: 'idle:unwaited', leaseMs: 600_000 });
  const free = await orders.acquire({ name: 'idle:unheld', leaseMs: 600_000 });
  if (free.outcome === 'granted') await orders.release({ name: 'idle:unheld', token: free.token });
  await openLive(page, '/?view=all&q=idle:un&sort=name');
  await expect(lockRow(page, 'idle:unwaited')).toBeVisible();
  await page.keyboard.press('j');
  await expect(lockRow(page, 'idle:unheld')).toBeFocused();
  await expectNote('r', 'Not released: not held');
  await page.keyboard.press('j');
  await expect(lockRow(page, 'idle:unwaited')).toBeFocused();
  await expectNote('R', 'Not reassigned: no waiters');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

const oddNames: [string, string][] = [
  ['job ', 'jobSP'],
  ['invoice-\u202Egnp.exe', 'invoice-U+202Egnp.exe'],
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['tab\there', 'tabTABhere'],
  ['..', '..'],
  ['~a/b?c#d%2F', '~a/b?c#d%2F'],
  ['Ä\u0301 日本 🔒', 'Ä\u0301 日本 🔒'],
];

test('any name is shown byte by byte, can be searched, and its page opens', async ({ page }) => {
  const alarms: string[] = [];
  page.on('dialog', (dialog) => alarms.push(dialog.message()));
  for (const [name] of oddNames) await orders.acquire({ name, leaseMs: 600_000 });
  const title = page.getByRole('heading', { level: 1 });
  await openLive(page, '/?view=all');
  for (const [name, shown] of oddNames) {
    await page.getByRole('searchbox', { name: 'Search locks' }).fill(name.trim());
    const row = lockRow(page, name);
    await expect(cell(row, 'name').getByRole('link')).toHaveText(shown);
    await expect(cell(row, 'name').locator('bdi')).toHaveAttribute('title', visibleText(name));
    await cell(row, 'name').getByRole('link').click();
    await expect(title).toHaveText(shown);
    await expect(page.getByRole('region', { name: 'Holder' })).toContainText('orders-1');
    await expect(page.getByRole('region', { name: 'Events' })).toContainText('Granted');
    expect(await page.locator('img').count()).toBe(0);
    await page.goBack();
  }
  // At its own address a page is painted by the server, before its code is loaded.
  for (const [name, shown] of oddNames) {
    await page.goto(lockPath('default', name), { waitUntil: 'commit' });
    await expect(title).toHaveText(shown);
    await expect(page.getByRole('region', { name: 'Holder' })).toContainText('orders-1');
    expect(await page.locator('img').count()).toBe(0);
  }
  expect(alarms).toEqual([]);
});

test('an event that is readable only seconds after its change is shown without a reload', async ({
  page,
}) => {
  const name = 'recorded-late';
  await orders.acquire({ name, leaseMs: 600_000 });
  await openLive(page, `/locks/default/${name}`);
  const newest = page.getByRole('region', { name: 'Events' }).getByRole('listitem').first();
  await expect(newest).toContainText('Granted');
  let tooEarly = 2;
  await page.route(/locks\.events/, async (route) => {
    if (tooEarly === 0) return route.continue();
    tooEarly -= 1;
    const answer = await route.fetch();
    const body = (await answer.text()).replace(/"rows":\[\{.*?\},/, '"rows":[');
    return route.fulfill({ response: answer, body });
  });
  const held = await orders.inspect({ name });
  const token = held.holders[0]?.token ?? 0;
  await orders.release({ name, token });
  await expect(newest).toContainText('Released');
  expect(tooEarly).toBe(0);
});

test('an expired lease is shown as expired within 3 s, until the next grant', async ({ page }) => {
  const name = 'abandoned';
  await openLive(page, '/?q=abandoned');
  const row = lockRow(page, name);
  const held = await orders.acquire({ name, leaseMs: 10_000 });
  if (held.outcome !== 'granted') throw new Error(held.outcome);
  await expect(cell(row, 'state')).toContainText('Held');
  const leftMs = held.expiresAt - Date.now();
  await expect(cell(row, 'state')).toContainText('Expired', { timeout: leftMs + 8_000 });
  await expect(cell(row, 'owner')).toContainText('orders-1');
  await expect(cell(row, 'lease')).toHaveText(/^\u221200:\d\d$/);
  await billing.acquire({ name, leaseMs: 60_000 });
  await expect(cell(row, 'state')).toContainText('Held');
  await expect(cell(row, 'owner')).toContainText('billing-1');
});

const titlesOf = (found: Element[]) => found.map((element) => element.getAttribute('title'));

test('the first load of the list sends at most 250 KB of script, with what it loads ahead', async ({
  page,
}) => {
  await openLive(page, '/?view=all');
  await untilAlive(page);
  // Loading ahead begins once the page has nothing else to do.
  await page.waitForTimeout(1_000);
  const sent = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
      .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
  );
  expect(sent).toBeGreaterThan(100_000);
  expect(sent).toBeLessThanOrEqual(250_000);
});

test('a page whose code arrives late begins as painted, with newer counts right after', async ({
  page,
  server,
}) => {
  const faults = await guardPage(page, server.url);
  let sendCode: () => void = () => undefined;
  const isSent = new Promise<void>((resolve) => {
    sendCode = resolve;
  });
  // The code of the page is held back until there is another lock.
  await page.route('**/_next/static/chunks/*.js', async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    if (body.includes('namespace-list')) await isSent;
    await route.fulfill({ response, body });
  });
  await page.goto('/namespaces', { waitUntil: 'domcontentloaded' });
  const link = page.getByRole('link', { name: 'default', exact: true });
  const count = page.getByRole('row').filter({ has: link }).locator('td').nth(3);
  const painted = Number(await count.innerText());
  await orders.acquire({ name: `late:${Date.now()}`, leaseMs: 60_000 });
  sendCode();
  await untilAlive(page);
  await expect.poll(async () => Number(await count.innerText())).toBeGreaterThan(painted);
  expect(faults()).toEqual([]);
});
