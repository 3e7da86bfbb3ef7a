import type { Page, Route } from 'playwright/test';
import { type Hold, LockLost, type LockyardClient, withLock } from '../client/lockyard';
import { lockPath } from '../server/core/paths/console-path';
import { cell, lockRow, openLive, openPage } from './locks-page';
import {
  callConsole,
  createPerson,
  createService,
  expect,
  type Person,
  refusalOf,
  signIn,
  test,
  waitFor,
} from './lockyard-test';

let operator: Person;
let orders: LockyardClient;
let billing: LockyardClient;
test.beforeAll(async ({ server, admin }) => {
  operator = await createPerson(server, admin, 'operator', 'Olga Operator');
  orders = await createService(server, admin, 'orders');
  billing = await createService(server, admin, 'billing');
});
test.beforeEach(({ context, server }) => signIn(context, server, operator));

const pageOf = (name: string) => lockPath('default', name);
const dialog = (page: Page) => page.getByRole('dialog');
const reasonField = (page: Page) => dialog(page).getByLabel(/^Reason/);

async function take(client: LockyardClient, name: string): Promise<number> {
  const answer = await client.acquire({ name, leaseMs: 60_000, waitMs: 20_000 });
  if (answer.outcome !== 'granted') throw new Error(answer.outcome);
  return answer.token;
}

async function holdersOf(name: string): Promise<string[]> {
  return (await orders.inspect({ name })).holders.map(({ owner }) => owner);
}

test('an extension moves the end of the lease; events and audit log say by whom and why', async ({
  page,
}) => {
  const name = 'slow-export';
  await take(orders, name);
  const endsAt = async () => (await orders.inspect({ name })).holders[0]?.expiresAt ?? 0;
  const before = await endsAt();
  await openLive(page, pageOf(name));
  await page.getByRole('button', { name: 'Extend…' }).click();
  await expect(dialog(page)).toHaveAccessibleName('Extend orders-1’s lease?');
  // In a group of radio buttons, Tab reaches the chosen one, and leaves the group.
  const radios = dialog(page).getByRole('radio');
  const focused = () => radios.evaluateAll((all) => all.indexOf(document.activeElement as never));
  const visited: number[] = [];
  for (let i = 0; i < 6; i += 1) {
    await page.keyboard.press('Tab');
    const at = await focused();
    if (at >= 0) visited.push(at);
  }
  expect(new Set(visited)).toEqual(new Set([1]));
  await expect(radios.nth(1)).toBeChecked();
  await dialog(page).getByText('15 min').click();
  const act = dialog(page).getByRole('button', { name: /^Extend by/ });
  await expect(act).toBeDisabled();
  await reasonField(page).fill('the export is nearly done');
  await act.click();

  await expect(page.getByRole('status').filter({ hasText: 'Extended token' })).toBeVisible();
  await expect(dialog(page)).toBeHidden();
  expect((await endsAt()) - before).toBe(15 * 60_000);
  const events = page.getByRole('region', { name: 'Events' }).getByRole('listitem');
  await expect(events.filter({ hasText: 'Extended' })).toContainText(
    'by Olga Operator: “the export is nearly done”',
  );
  await openPage(page, '/audit?q=slow-export');
  const entry = page.getByRole('row').filter({ hasText: 'Extended lease' });
  await expect(entry).toContainText('Olga Operator');
  await expect(entry).toContainText('“the export is nearly done”');
  await expect(entry).toContainText('Done');
});

test('a lock is reassigned to a later waiter, and all users see what was done by whom', async ({
  page,
  browser,
  server,
  admin,
}) => {
  const name = 'hotfix-first';
  await orders.acquire({ name, leaseMs: 600_000 });
  const queued = async () => (await orders.inspect({ name })).waiters.map(({ owner }) => owner);
  const wait = (owner: string) => waitFor(billing, { name, owner, leaseMs: 600_000 });
  const first = wait('nightly');
  await expect.poll(queued).toEqual(['nightly']);
  const hotfix = wait('hotfix');
  await expect.poll(queued).toEqual(['nightly', 'hotfix']);

  const viewer = await createPerson(server, admin, 'viewer', 'Vic Viewer');
  const other = await browser.newContext({ baseURL: server.url });
  await signIn(other, server, viewer);
  const list = await other.newPage();
  await openLive(list, `/?q=${name}`);
  await openLive(page, pageOf(name));
  await page.keyboard.press('i');
  await expect(page.getByText('You are on it, since')).toBeVisible();
  await expect(cell(lockRow(list, name), 'state')).toContainText('Olga Operator is on it');

  await page.getByRole('button', { name: 'Reassign…' }).click();
  const act = dialog(page).getByRole('button', { name: /^Reassign/ });
  await expect(dialog(page)).toContainText('Required: waiter, reason');
  const { width, height } = page.viewportSize() ?? { width: 1_440, height: 900 };
  await page.setViewportSize({ width: 390, height: 700 });
  await expect(act, 'the act is in view while the fields scroll').toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width, height });
  await dialog(page)
    .getByRole('radio', { name: /hotfix/ })
    .check();
  await expect(dialog(page)).toHaveAccessibleName('Reassign this lock to hotfix?');
  await expect(dialog(page)).toContainText('nightly stays first in the queue.');
  await reasonField(page).fill('the hotfix goes first');
  await act.click();
  await expect(
    page.getByRole('status').filter({ hasText: /granted …\d{4} to hotfix.*; 1 still waiting\./ }),
  ).toBeVisible();
  expect(await hotfix).toBe('granted');
  expect(await queued()).toEqual(['nightly']);
  // It ends with the hold.
  await expect(lockRow(list, name)).not.toContainText('is on it');
  await openPage(list, `/audit?q=${name}`);
  const entries = list.getByRole('row').filter({ has: list.getByRole('cell') });
  await expect(entries).toHaveText([/Reassigned lock.*Done/, /Said “I’m on it”.*Done/]);
  await other.close();
  const [held] = (await orders.inspect({ name })).holders;
  await billing.release({ name, owner: 'hotfix', token: held?.token ?? 0 });
  await first;
});

test('in a long queue the waiter to reassign to is found by its owner', async ({ page }) => {
  const name = 'crowded';
  await orders.acquire({ name, leaseMs: 600_000 });
  const all = new AbortController();
  const waits = Array.from({ length: 24 }, async (_, i) => {
    const owner = `runner-${i + 1}`;
    const ask = { name, owner, leaseMs: 600_000, waitMs: 300_000, requestId: owner };
    while (!all.signal.aborted) {
      const answer = await billing.acquire(ask, { signal: all.signal }).catch(() => undefined);
      if (answer?.outcome === 'granted') return;
    }
  });
  const waiters = async () => (await orders.inspect({ name })).waiters.length;
  await expect.poll(waiters).toBe(24);
  await openLive(page, pageOf(name));
  await page.getByRole('button', { name: 'Reassign…' }).click();
  const choices = dialog(page).getByRole('radio');
  await expect(choices).toHaveCount(24);
  await dialog(page).getByLabel('Find a waiter by owner or service').fill('RUNNER-17');
  await expect(choices).toHaveCount(1);
  await choices.check();
  await dialog(page)
    .getByLabel(/^Type the lock name/)
    .fill(name);
  await reasonField(page).fill('it has the least left to do');
  await dialog(page).getByRole('button', { name: 'Reassign to runner-17' }).click();
  await expect(dialog(page)).toBeHidden();
  await expect.poll(() => holdersOf(name)).toEqual(['runner-17']);
  expect(await waiters()).toBe(23);
  all.abort();
  await Promise.all(waits);
});

test('an action whose answer was lost is applied once, and never reported as not applied', async ({
  page,
}) => {
  const name = 'lost-answer';
  await take(orders, name);
  const endsAt = async () => (await orders.inspect({ name })).holders[0]?.expiresAt ?? 0;
  const before = await endsAt();
  await openLive(page, pageOf(name));
  const lose = (route: Route) => route.fetch().then(() => route.abort());
  await page.route('**/api/trpc/locks.extend*', lose, { times: 1 });
  await page.getByRole('button', { name: 'Extend…' }).click();
  await reasonField(page).fill('the export is nearly done');
  const act = dialog(page).getByRole('button', { name: /^Extend by/ });
  await act.click();
  await expect(dialog(page).getByRole('alert')).toContainText('The result is unknown.');
  expect((await endsAt()) - before).toBe(5 * 60_000);
  await expect(reasonField(page)).toBeDisabled();
  await act.click();
  await expect(dialog(page)).toBeHidden();
  expect((await endsAt()) - before).toBe(5 * 60_000);

  await page.route('**/api/trpc/locks.forceRelease*', lose, { times: 1 });
  await page.getByRole('button', { name: 'Force release…' }).click();
  await reasonField(page).fill('orders is stuck');
  await dialog(page).getByRole('button', { name: 'Force release (no waiters)' }).click();
  const note = dialog(page).getByRole('alert');
  await expect(note).toContainText('Holder has changed');
  await expect(note).toContainText('force-released');
  await expect(note).not.toContainText('no action taken');
});

test('a force release grants the next waiter, and the old holder learns by whom and why', async ({
  page,
}) => {
  const name = 'month-end';
  const token = await take(orders, name);
  await orders.renew({ name, token, leaseMs: 60_000 });
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const work = withLock(name, { client: billing, owner: 'billing-2' }, async (hold: Hold) => {
    await finished;
    return hold.token;
  });
  await openLive(page, pageOf(name));
  await expect(page.getByRole('region', { name: 'Queue' })).toContainText('billing-2');
  await page.getByRole('button', { name: 'Force release…' }).click();
  await expect(dialog(page)).toHaveAccessibleName(
    'Force release this lock and grant it to billing-2?',
  );
  await expect(dialog(page)).toContainText('orders-1');
  await expect(dialog(page)).toContainText('The holder is not stopped.');
  const act = dialog(page).getByRole('button', { name: 'Force release and grant to billing-2' });
  await reasonField(page).fill('worker-1 hangs since noon');
  await expect(act).toBeDisabled();
  await expect(dialog(page)).toContainText('Required: lock name');
  await dialog(page)
    .getByLabel(/^Type the lock name/)
    .fill('month-enD');
  await expect(act).toBeDisabled();
  await dialog(page)
    .getByLabel(/^Type the lock name/)
    .fill(name);
  await act.click();

  const result = page.getByRole('status').filter({ hasText: 'Released token' });
  await expect(result).toContainText(/granted …\d{4} to billing-2.*; no waiters\./);
  await expect(page.getByRole('region', { name: 'Holder' })).toContainText('billing-2');
  expect(await orders.renew({ name, token, leaseMs: 60_000 })).toMatchObject({
    outcome: 'lost',
    cause: 'forced',
    by: 'Olga Operator',
    reason: 'worker-1 hangs since noon',
  });
  finish();
  expect(await work).toBeGreaterThan(token);
  const events = page.getByRole('region', { name: 'Events' }).getByRole('listitem');
  await expect(events.filter({ hasText: 'Force-released' })).toContainText(
    'worker-1 hangs since noon',
  );
  await openPage(page, '/?view=all');
  await expect(lockRow(page, name)).toBeVisible();
});

test('withLock aborts its work when the lock is force-released', async ({ page }) => {
  const name = 'long-import';
  let started = () => {};
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  const work = withLock(name, { client: orders, leaseMs: 15_000 }, async ({ signal }) => {
    started();
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  });
  const failing = work.catch((error: unknown) => error);
  await running;
  await openLive(page, `/?q=${name}`);
  await lockRow(page, name).hover();
  await lockRow(page, name).getByRole('button', { name: 'Force release…' }).click();
  await expect(dialog(page)).toHaveAccessibleName('Force release this lock?');
  await reasonField(page).fill('wrong file');
  const nameField = dialog(page).getByLabel(/^Type the lock name/);
  await nameField.fill(name);
  await dialog(page).getByRole('button', { name: 'Force release (no waiters)' }).click();
  await expect(cell(lockRow(page, name), 'state')).toContainText('released, now free');
  const error = await failing;
  expect(error).toBeInstanceOf(LockLost);
  expect((error as LockLost).loss).toMatchObject({ cause: 'forced', reason: 'wrong file' });
});

test('Enter never confirms: the focus starts on Cancel, and fields do not submit', async ({
  page,
}) => {
  const name = 'steady';
  await take(orders, name);
  await openLive(page, pageOf(name));
  await page.keyboard.press('r');
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeHidden();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();

  await page.getByRole('button', { name: 'Force release…' }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByRole('button', { name: 'Force release…' })).toBeFocused();

  await page.getByRole('button', { name: 'Force release…' }).click();
  await reasonField(page).fill('it is stuck');
  await expect(
    dialog(page).getByRole('button', { name: /^Force release \(no waiters/ }),
  ).toBeEnabled();
  await reasonField(page).press('Enter');
  await reasonField(page).press('Enter');
  await expect(dialog(page)).toBeVisible();
  expect(await holdersOf(name)).toEqual(['orders-1']);
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await openPage(page, '/audit?q=steady');
  await expect(page.getByText('No entries match.')).toBeVisible();
});

test('a dialog whose hold changes blocks the action until the current hold is accepted', async ({
  page,
}) => {
  const name = 'night-shift';
  const token = await take(orders, name);
  await openLive(page, pageOf(name));
  await page.getByRole('button', { name: 'Force release…' }).click();
  await reasonField(page).fill('orders is stuck');
  await orders.release({ name, token });
  await take(billing, name);

  await expect(dialog(page).getByRole('alert')).toContainText(
    'Holder has changed – no action taken.',
  );
  await expect(dialog(page).getByRole('columnheader')).toHaveText(['You saw', 'Now']);
  const heldBy = dialog(page).getByRole('row').filter({ hasText: 'Held by' }).getByRole('cell');
  await expect(heldBy.first()).toContainText('orders-1');
  await expect(heldBy.last()).toContainText('billing-1');
  await expect(dialog(page).getByRole('button', { name: /^Force release/ })).toHaveCount(0);
  expect(await holdersOf(name)).toEqual(['billing-1']);

  await dialog(page).getByRole('button', { name: 'Use current state' }).click();
  await dialog(page).getByRole('button', { name: 'Force release (no waiters)' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Released token' })).toBeVisible();
  expect(await holdersOf(name)).toEqual([]);
});

test('a dialog stays open while its action is under way, and then shows why it failed', async ({
  page,
}) => {
  const name = 'slow-answer';
  await take(orders, name);
  await openLive(page, pageOf(name));
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const lose = (route: Route) => answered.then(() => route.abort());
  await page.route('**/api/trpc/locks.extend*', lose, { times: 1 });
  await page.getByRole('button', { name: 'Extend…' }).click();
  await reasonField(page).fill('the export is nearly done');
  await dialog(page)
    .getByRole('button', { name: /^Extend by/ })
    .click();
  await expect(dialog(page).getByRole('button', { name: 'Working…' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeDisabled();
  answer();
  await expect(dialog(page).getByRole('alert')).toContainText('The result is unknown.');
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
});

test('an action on an ended hold is rejected by the server, even from a stale page', async ({
  page,
}) => {
  const name = 'deaf-page';
  const token = await take(orders, name);
  await page.route('**/api/trpc/locks.watch*', (route) => route.abort());
  // Without news the page offers no action after 5 s.
  await expect(async () => {
    await openPage(page, pageOf(name));
    await page.getByRole('button', { name: 'Force release…' }).click({ timeout: 2_000 });
  }).toPass();
  await reasonField(page).fill('orders is stuck');
  await orders.release({ name, token });
  await take(billing, name);
  await dialog(page).getByRole('button', { name: 'Force release (no waiters)' }).click();

  await expect(dialog(page).getByRole('alert')).toContainText(
    'Holder has changed – no action taken.',
  );
  await expect(dialog(page).getByRole('alert')).toContainText('released by its holder');
  const heldBy = dialog(page).getByRole('row').filter({ hasText: 'Held by' }).getByRole('cell');
  await expect(heldBy.first()).toContainText('orders-1');
  await expect(heldBy.last()).toContainText('billing-1');
  expect(await holdersOf(name)).toEqual(['billing-1']);

  await dialog(page).getByRole('button', { name: 'Use current state' }).click();
  await dialog(page).getByRole('button', { name: 'Force release (no waiters)' }).click();
  await expect(dialog(page)).toBeHidden();
  expect(await holdersOf(name)).toEqual([]);
  await openPage(page, '/audit?q=deaf-page');
  const outcomes = page.getByRole('row').locator('[data-cell="outcome"]');
  await expect(outcomes).toHaveText(['Done', 'Changed']);
});

test('the audit log shows all attempts, rejected or not, and can be searched and filtered', async ({
  page,
  server,
  admin,
}) => {
  const name = 'audited';
  const token = await take(orders, name);
  const viewer = await createPerson(server, admin, 'viewer', 'Vera Viewer');
  const act = { namespace: 'default', name, token, rev: 0, reason: 'let me try' };
  expect(await refusalOf(server, viewer.cookie, 'locks.forceRelease', act)).toBe('FORBIDDEN');
  await callConsole(server, operator.cookie, 'locks.extend', { ...act, extendMs: 60_000 });
  await callConsole(server, operator.cookie, 'locks.forceRelease', act);

  await openPage(page, '/audit');
  const search = page.getByRole('searchbox', { name: 'Search actor, target or reason' });
  await search.fill('audited');
  const entries = page.getByRole('row').filter({ has: page.getByRole('cell') });
  await expect(entries).toHaveCount(3);
  await expect(entries).toHaveText([
    /Olga Operator.*Force-released lock.*audited.*Done/,
    /Olga Operator.*Extended lease.*audited.*Done/,
    /Vera Viewer.*Force release lock.*audited.*“let me try”.*Rejected/,
  ]);
  await page.getByRole('button', { name: 'outcome: any' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Rejected' }).click();
  await expect(entries).toHaveText([/Vera Viewer/]);
  await expect(page).toHaveURL(/outcome=refused/);
  await page.reload();
  await expect(entries).toHaveText([/Vera Viewer/]);
  await page.getByRole('button', { name: 'Remove filter: outcome = Rejected' }).click();
  await page.getByRole('button', { name: 'action: any' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Extend lease' }).click();
  await expect(entries).toHaveText([/Extended lease/]);
  await search.fill('audited-by-none');
  await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  await expect(search).toHaveValue('');
  await expect(page).toHaveURL(/\/audit$/);
  await search.fill('audited');
  await expect(entries).toHaveCount(3);
  await entries.first().getByRole('link', { name, exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
});

test('the filters of the audit log keep what is typed into them, even with pauses', async ({
  page,
}) => {
  await openPage(page, '/audit?from=2026-11-20T14:05:00.000Z');
  const search = page.getByRole('searchbox', { name: 'Search actor, target or reason' });
  await search.pressSequentially('let ');
  await expect(page).toHaveURL(/q=let/);
  await search.pressSequentially('me');
  await expect(page).toHaveURL(/q=let\+me/);
  await expect(search).toHaveValue('let me');

  const from = page.getByLabel('From');
  await from.fill('0002-11-20T14:05');
  await expect(from).toHaveValue('0002-11-20T14:05');
  await from.fill('2025-11-20T14:05');
  await expect(page).toHaveURL(/from=2025-11-\d\dT/);
});
