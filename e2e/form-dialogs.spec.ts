import type { Page } from 'playwright/test';
import { DEFAULT_POLICY } from '../server/contract/namespace-policy';
import { lockPath } from '../server/core/paths/console-path';
import { expectSound } from './expect-sound';
import { openLive } from './locks-page';
import { callConsole, createService, expect, signIn, test } from './lockyard-test';

/** Every request that asks for the namespaces, also together with others. */
const NAMESPACES = /\/api\/trpc\/[^?]*namespaces\.list/;

const dialog = (page: Page) => page.getByRole('dialog');

test.beforeEach(({ page, server, admin }) => signIn(page.context(), server, admin));

test('a form dialog closes once its action is done, however long the list takes to reload', async ({
  page,
}) => {
  await page.goto('/namespaces');
  await page.getByRole('button', { name: 'New namespace…' }).click();
  await dialog(page).getByRole('textbox', { name: /^Name/ }).fill('slow-list');
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route(NAMESPACES, (route) => held.then(() => route.continue()));
  await dialog(page).getByRole('button', { name: 'Create namespace' }).click();
  await expect(dialog(page)).toBeHidden();
  goOn();
  await expect(page.getByRole('row', { name: /slow-list/ })).toBeVisible();
});

test('an action in an ended session says where to sign in, and keeps what was typed', async ({
  page,
  server,
  admin,
}) => {
  await page.goto('/namespaces');
  await page.getByRole('button', { name: 'New namespace…' }).click();
  await dialog(page).getByRole('textbox', { name: /^Name/ }).fill('after-sign-in');
  await page.context().clearCookies();
  const create = dialog(page).getByRole('button', { name: 'Create namespace' });
  await create.click();
  const link = dialog(page).getByRole('link', { name: 'Sign in in a new tab' });
  const [tab] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
  await expect(tab.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await tab.close();
  await signIn(page.context(), server, admin);
  await create.click();
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByRole('row', { name: /after-sign-in/ })).toBeVisible();
});

test('a dialog that offers only one namespace says that the others could not be loaded', async ({
  page,
}) => {
  await page.route(NAMESPACES, (route) => route.abort());
  await page.goto('/counters');
  await page.getByRole('button', { name: 'New counter…' }).click();
  const choice = dialog(page).getByRole('combobox', { name: 'Namespace' });
  await expect(choice).toHaveAccessibleDescription('The other namespaces could not be loaded');
  await expect(choice).toHaveValue('default');
  await page.unroute(NAMESPACES);
  await expect(choice).toHaveAccessibleDescription('');
});

test('a dialog before its first attempt says what changed, and does not say “not applied”', async ({
  page,
  server,
  admin,
}) => {
  const key = { namespace: 'default', name: 'frozen-by-two' };
  const service = await createService(server, admin, 'untried');
  await service.acquire({ name: key.name, leaseMs: 600_000 });
  await openLive(page, lockPath(key.namespace, key.name));
  await page.getByRole('button', { name: 'Freeze…' }).click();
  const act = { ...key, rev: 1, reason: 'I was quicker', requestId: 'first-freeze' };
  await callConsole(server, admin.cookie, 'locks.freeze', act);
  const notice = dialog(page).getByRole('alert');
  await expect(notice).toContainText('It is frozen by');
  await expect(notice).not.toContainText('Not applied');
});

test('a policy that two admins change at once is saved, and nothing typed is lost', async ({
  page,
  server,
  admin,
}) => {
  const name = `two-policies-${'w'.repeat(50)}`;
  await callConsole(server, admin.cookie, 'namespaces.create', { name, policy: DEFAULT_POLICY });
  await page.goto('/namespaces');
  await page.getByRole('button', { name: `Edit policy of ${name}` }).click();
  const typed = dialog(page).getByRole('textbox', { name: /^Lock delay/ });
  await typed.fill('15s');
  await dialog(page)
    .getByRole('textbox', { name: /^Reason/ })
    .fill('jobs write late');
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route(NAMESPACES, (route) => held.then(() => route.continue()));
  const policy = { ...DEFAULT_POLICY, queueLimit: 7 };
  const reason = 'another admin was quicker';
  await callConsole(server, admin.cookie, 'namespaces.setPolicy', { name, policy, reason });
  const save = dialog(page).getByRole('button', { name: 'Save policy' });
  await save.click();
  const notice = dialog(page).getByRole('alert');
  await expect(notice).toContainText('Not applied.');
  goOn();
  await expect(notice).toContainText('The policy changed since you opened this');
  await expect(notice).toContainText('max queue 7');
  await expect(save).toBeDisabled();
  await expectSound(page, '[role="dialog"]');
  await notice.getByRole('button', { name: 'Use current state' }).click();
  await expect(dialog(page).getByRole('spinbutton', { name: /^Max queue/ })).toHaveValue('7');
  await expect(typed).toHaveValue('15s');
  await save.click();
  await expect(dialog(page)).toBeHidden();
  const row = page.getByRole('row', { name: new RegExp(name) });
  await expect(row).toContainText('max queue 7');
  await expect(row).toContainText(/lock delay 15.s/);
});

test('the buttons of a dialog stay in view in a window that is zoomed to 200 %', async ({
  page,
  server,
  admin,
}) => {
  const name = 'zoomed';
  await (await createService(server, admin, name)).acquire({ name, leaseMs: 600_000 });
  await page.setViewportSize({ width: 720, height: 450 });
  await openLive(page, lockPath('default', name));
  await page.getByRole('button', { name: 'Force release…' }).first().click();
  const cancel = dialog(page).getByRole('button', { name: 'Cancel' });
  await expect(cancel).toBeFocused();
  await expect(cancel).toBeInViewport({ ratio: 1 });
  await dialog(page).getByLabel('Reason').focus();
  await expect(dialog(page).getByLabel('Reason')).toBeInViewport({ ratio: 1 });
  await expect(cancel).toBeInViewport({ ratio: 1 });
});
