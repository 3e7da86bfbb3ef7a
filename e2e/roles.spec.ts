import type { Route } from 'playwright/test';
import { LockyardClient } from '../client/lockyard';
import { lockPath } from '../server/core/paths/console-path';
import { lockRow, openLive, openPage, untilAlive } from './locks-page';
import {
  callConsole,
  createKey,
  createPerson,
  createService,
  expect,
  type Person,
  refusalOf,
  signIn,
  test,
} from './lockyard-test';

let viewer: Person;
let operator: Person;
let orders: LockyardClient;
test.beforeAll(async ({ server, admin }) => {
  viewer = await createPerson(server, admin, 'viewer', 'Victor Viewer');
  operator = await createPerson(server, admin, 'operator', 'Oskar Operator');
  orders = await createService(server, admin, 'orders');
});

async function take(name: string): Promise<number> {
  const answer = await orders.acquire({ name, leaseMs: 600_000 });
  if (answer.outcome !== 'granted') throw new Error(answer.outcome);
  return answer.token;
}

test('a viewer sees every lock and no actions, and a direct call is rejected and audited', async ({
  context,
  page,
  server,
}) => {
  const name = 'only-to-look-at';
  const token = await take(name);
  await signIn(context, server, viewer);
  await openLive(page, `/?q=${name}`);
  await lockRow(page, name).hover();
  await expect(lockRow(page, name)).toContainText('orders-1');
  await expect(lockRow(page, name).getByRole('button')).toHaveCount(0);
  await page.keyboard.press('j');
  await page.keyboard.press('r');
  await page.keyboard.press('e');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  const ladder = page.getByRole('region', { name: 'Actions' });
  for (const button of await ladder.getByRole('button').all()) await expect(button).toBeDisabled();
  await expect(ladder).toHaveText('Requires operator role to act on this lock.');

  const act = { namespace: 'default', name, token, rev: 0, reason: 'because I can' };
  const { cookie } = viewer;
  expect(await refusalOf(server, cookie, 'locks.forceRelease', act)).toBe('FORBIDDEN');
  const longer = { ...act, extendMs: 60_000 };
  expect(await refusalOf(server, cookie, 'locks.extend', longer)).toBe('FORBIDDEN');
  expect(await orders.check({ name, token })).toEqual({ valid: true });
  await openPage(page, `/audit?q=${name}`);
  const entries = page.getByRole('row').filter({ has: page.getByRole('cell') });
  await expect(entries).toHaveText([
    /Victor Viewer.*Extend lease.*Rejected/,
    /Victor Viewer.*Force release lock.*Rejected/,
  ]);
});

test('an operator acts on locks and cannot manage users', async ({ context, page, server }) => {
  const name = 'to-act-on';
  await take(name);
  await signIn(context, server, operator);
  await openLive(page, lockPath('default', name));
  await expect(page.getByRole('button', { name: 'Extend…' })).toBeEnabled();
  await expect(page.getByRole('button', { name: 'Force release…' })).toBeEnabled();

  await openPage(page, '/settings?section=keys');
  await expect(page.getByText('Only admins can manage API keys.')).toBeVisible();
  await page.getByRole('link', { name: 'Users' }).click();
  await expect(page.getByText('Only admins can manage users')).toBeVisible();
  await page.getByRole('link', { name: 'Namespaces' }).click();
  await expect(page.getByRole('row', { name: /^default / })).toBeVisible();
  await expect(page.getByRole('button', { name: /New namespace/ })).toHaveCount(0);

  const { cookie } = operator;
  const password = 'a long enough password';
  const tries: [string, object][] = [
    ['people.create', { name: 'A friend', role: 'admin', password }],
    ['keys.create', { name: 'mine', namespaces: ['default'] }],
    ['namespaces.create', { name: 'mine' }],
  ];
  for (const [procedure, input] of tries) {
    expect(await refusalOf(server, cookie, procedure, input), procedure).toBe('FORBIDDEN');
  }
  await openPage(page, '/audit?q=Oskar&outcome=refused');
  await expect(page.getByRole('row').filter({ has: page.getByRole('cell') })).toHaveCount(3);
});

test('the name of an API key is on one line on every screen', async ({
  context,
  page,
  server,
  admin,
}) => {
  const name = 'reconciliation';
  await createKey(server, admin, name);
  await signIn(context, server, admin);
  await openPage(page, '/settings?section=keys');
  const cell = page.getByRole('cell', { name, exact: true });
  const lines = () =>
    cell.evaluate((element) => {
      const text = document.createRange();
      text.selectNodeContents(element);
      return text.getClientRects().length;
    });
  for (const width of [375, 900, 930, 1100, 1280, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(lines, `${width} px`).toBe(1);
  }
});

test('an admin creates a key for a service, and a revoked key is rejected within 2 s', async ({
  context,
  page,
  server,
  admin,
}) => {
  await signIn(context, server, admin);
  await openPage(page, '/settings?section=keys');
  await page.getByRole('button', { name: 'New key…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Service/).fill('short-lived');
  const namespace = dialog.getByLabel('default');
  await namespace.uncheck();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  // Other specs may have created namespaces on this server.
  const first = dialog.getByRole('group', { name: 'Namespaces' }).getByRole('checkbox').first();
  await expect(first).toHaveJSProperty('validationMessage', 'Choose at least one namespace.');
  await namespace.check();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await expect(dialog).toHaveAccessibleName('API key for short-lived');
  const apiKey = (await dialog.getByRole('code').innerText()).trim();
  // The key is shown this once: nothing but its button takes it away.
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await expect(dialog.getByRole('code')).toHaveText(apiKey);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(dialog).toBeHidden();
  expect(await page.content()).not.toContain(apiKey);

  const service = new LockyardClient({ url: server.url, apiKey, owner: 'short-lived-1' });
  const why = () => service.inspect({ name: 'any' }).then(() => 'answered', reasonOf);
  expect(await why()).toBe('answered');
  const key = page.getByRole('row').filter({ hasText: 'short-lived' });
  await key.getByRole('button', { name: 'Revoke…' }).click();
  await expect(dialog).toHaveAccessibleName('Revoke key of short-lived?');
  await expect(dialog).toContainText(/Key \S+, created .* by \S/);
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await dialog.getByRole('button', { name: 'Revoke key' }).click();
  await expect(key).toContainText('revoked');
  await expect.poll(why, { timeout: 10_000 }).toBe('UNAUTHENTICATED');

  await page.getByRole('button', { name: 'New key…' }).click();
  await dialog.getByLabel('A witness').check();
  await expect(dialog.getByLabel('default')).toBeHidden();
  await dialog.getByLabel(/^Machine/).fill('short-lived-host');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await expect(dialog).toContainText('lockyard witness');
  await dialog.getByRole('button', { name: 'Done' }).click();
  const witness = page.getByRole('row').filter({ hasText: 'short-lived-host' });
  await expect(witness).toContainText('witness, no locks');
});

test('a waiting request is rejected when its key is revoked', async ({ server, admin }) => {
  const name = 'waited-for';
  await take(name);
  const made = await callConsole(server, admin.cookie, 'keys.create', {
    name: 'waiting',
    namespaces: ['default'],
  });
  const { id, key } = made.data as { id: string; key: string };
  const service = new LockyardClient({ url: server.url, apiKey: key, owner: 'waiting-1' });
  const answer = service
    .acquire({ name, leaseMs: 60_000, waitMs: 25_000 })
    .then(({ outcome }) => outcome, reasonOf);
  await expect.poll(async () => (await orders.inspect({ name })).waiters.length).toBe(1);
  await callConsole(server, admin.cookie, 'keys.revoke', { id });
  await expect
    .poll(async () => (await orders.inspect({ name })).waiters.length, { timeout: 10_000 })
    .toBe(0);
  expect(await answer).toBe('UNAUTHENTICATED');
});

test('an admin adds a user, and a changed role applies from the next click', async ({
  browser,
  context,
  page,
  server,
  admin,
}) => {
  const name = 'role-test';
  await take(name);
  await signIn(context, server, admin);
  await openPage(page, '/settings?section=people');
  await page.getByRole('button', { name: 'Add user…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Nora New');
  await dialog.getByLabel('Operator').check();
  await dialog.getByLabel(/^Initial password/).fill('nora has a password');
  await dialog.getByRole('button', { name: 'Add user' }).click();
  const line = page.getByRole('row').filter({ hasText: 'Nora New' });
  await expect(line).toContainText('Operator');

  const nora = await (await browser.newContext({ baseURL: server.url })).newPage();
  await openPage(nora, lockPath('default', name));
  await nora.getByLabel('Name').fill('Nora New');
  await nora.getByLabel('Password').fill('nora has a password');
  await nora.getByRole('button', { name: 'Sign in' }).click();
  // The page that she had requested.
  await expect(nora).toHaveURL(server.url + lockPath('default', name));
  const extend = nora.getByRole('button', { name: 'Extend…' });
  await expect(extend).toBeVisible();
  await untilAlive(nora);
  await extend.click();

  await line.getByRole('button', { name: 'Edit Nora New' }).click();
  await page.getByRole('menuitem', { name: 'Change role…' }).click();
  await expect(dialog.getByRole('radio', { checked: true })).toBeFocused();
  await dialog.getByLabel('Viewer').check();
  await dialog.getByRole('button', { name: 'Change role' }).click();
  await expect(line).toContainText('Viewer');
  await nora
    .getByRole('dialog')
    .getByLabel(/^Reason/)
    .fill('I was quick');
  await nora.getByRole('button', { name: /^Extend by/ }).click();
  await expect(nora.getByRole('dialog').getByRole('alert')).toContainText('Not applied.');
  await nora.reload();
  await expect(nora.getByRole('button', { name: 'Extend…' })).toHaveCount(0);
  await expect(nora.getByRole('region', { name: 'Actions' })).toContainText('Requires operator');

  await expect(line.getByRole('cell').nth(2)).toHaveText('1', { useInnerText: true });
  await line.getByRole('button', { name: 'Edit Nora New' }).click();
  await page.getByRole('menuitem', { name: 'Sign out…' }).click();
  await dialog.getByRole('button', { name: 'Sign out user' }).click();
  await expect(nora).toHaveURL(/\/sign-in\?next=/);
  await expect(line.getByRole('cell').nth(2)).toHaveText('–');
  await untilAlive(nora);
  await nora.getByLabel('Name').fill('Nora New');
  await nora.getByLabel('Password').fill('nora has a password');
  await nora.getByRole('button', { name: 'Sign in' }).click();
  await expect(nora).toHaveURL(server.url + lockPath('default', name));

  await line.getByRole('button', { name: 'Edit Nora New' }).click();
  await page.getByRole('menuitem', { name: 'Disable…' }).click();
  await dialog.getByRole('button', { name: 'Disable user' }).click();
  await expect(nora).toHaveURL(/\/sign-in\?next=/);
  await nora.context().close();
});

test('a change whose answer is lost is unknown until the page shows its effect', async ({
  context,
  page,
  server,
  admin,
}) => {
  await signIn(context, server, admin);
  await openPage(page, '/settings?section=people');
  const dialog = page.getByRole('dialog');
  const line = page.getByRole('row').filter({ hasText: 'Lea Lost' });
  const lose = (route: Route) => route.fetch().then(() => route.abort());
  await page.route('**/api/trpc/people.create*', lose, { times: 1 });
  await page.getByRole('button', { name: 'Add user…' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Lea Lost');
  await dialog.getByLabel(/^Initial password/).fill('lea has a password');
  await dialog.getByRole('button', { name: 'Add user' }).click();
  await expect(dialog.getByRole('alert')).toContainText('The result is unknown.');
  await expect(dialog.getByRole('alert')).not.toContainText('Not applied');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(line).toBeVisible();

  await page.route('**/api/trpc/people.setDisabled*', lose, { times: 1 });
  await line.getByRole('button', { name: 'Edit Lea Lost' }).click();
  await page.getByRole('menuitem', { name: 'Disable…' }).click();
  await dialog.getByRole('button', { name: 'Disable user' }).click();
  await expect(dialog.getByRole('alert')).toContainText('The result is unknown.');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(line).toContainText('disabled');
});

test('an admin creates a namespace, in which the same name is another lock', async ({
  context,
  page,
  server,
  admin,
}) => {
  const name = 'twice';
  await take(name);
  await signIn(context, server, admin);
  await openPage(page, '/namespaces');
  await page.getByRole('button', { name: 'New namespace…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Name/).fill('team-red');
  await dialog.getByText('Custom').click();
  await dialog.getByLabel(/^Max queue length/).fill('5');
  await dialog.getByRole('button', { name: 'Create namespace' }).click();
  await expect(page.getByRole('link', { name: 'team-red' })).toBeVisible();

  const red = await createService(server, admin, 'red-shop', ['team-red']);
  expect(await red.acquire({ name, leaseMs: 60_000 }).catch(reasonOf)).toBe('FORBIDDEN');
  const granted = await red.acquire({ namespace: 'team-red', name, leaseMs: 600_000 });
  expect(granted.outcome).toBe('granted');
  const line = page.getByRole('row').filter({ hasText: 'team-red' });
  await expect(line.getByRole('list', { name: 'Policy of team-red' })).toContainText('max queue 5');
  await expect(line.locator('[data-cell="count"]')).toContainText(['1', '1', '0']);
  await openLive(page, `/?q=${name}`);
  await expect(lockRow(page, name)).toContainText('orders-1');
  await expect(lockRow(page, name, 'team-red')).toContainText('red-shop-1');
  await page.getByRole('button', { name: 'namespace: any' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'team-red' }).click();
  await expect(lockRow(page, name)).toHaveCount(0);
  await expect(lockRow(page, name, 'team-red')).toBeVisible();
});

const reasonOf = (error: unknown) => (error as { reason?: string }).reason ?? String(error);
