import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright/test';
import { countLoads, lockRow, openPage, untilAlive } from './locks-page';
import { expect, refusalOf, test, tokenOf } from './lockyard-test';
import { type RunningServer, startServer } from './start-server';

const name = 'Grace Hopper';
const password = 'a nanosecond of wire';
const newPassword = 'a microsecond of wire';

/** One server, from its first start on: each test builds on the previous ones. */
test.describe.configure({ mode: 'serial' });
test.use({ baseURL: undefined });

let server: RunningServer;
let setupLink: string;
test.beforeAll(async () => {
  server = await startServer();
  setupLink = server.setupLink ?? '';
});
test.afterAll(() => server?.discard());

async function openElsewhere(browser: Browser, address: string, userAgent?: string): Promise<Page> {
  const context = await browser.newContext({ ...(userAgent !== undefined && { userAgent }) });
  const page = await context.newPage();
  await openPage(page, address);
  return page;
}

async function signInAs(page: Page, who: string, secret: string): Promise<void> {
  await page.getByLabel('Name').fill(who);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The problem that a form shows, without the request's id. */
const complaint = (page: Page) => page.getByRole('main').getByRole('alert').getByRole('paragraph');

test('before there is a user, every page leads to the setup, which requires the link', async ({
  page,
}) => {
  await openPage(page, `${server.url}/audit`);
  await expect(page).toHaveURL(`${server.url}/setup`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/Open the setup link/);
});

test('a setup link that does not work says so at once, and how to get another', async ({
  page,
}) => {
  for (const token of ['', 'not%20a%20token', `${tokenOf(setupLink)}x`]) {
    await openPage(page, `${server.url}/setup?token=${token}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      'This setup link does not work',
    );
    await expect(page.getByRole('main')).toContainText('restart the server');
    await expect(page.getByRole('textbox')).toHaveCount(0);
  }
});

test('the printed link leads to an admin, a key shown once, and a first lock', async ({ page }) => {
  await openPage(page, setupLink);
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByLabel('Confirm password').fill(`${password}!`);
  await expect(page.getByText('The passwords do not match.')).toBeVisible();
  await page.getByLabel('Confirm password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();

  await expect(page.getByRole('heading', { name: 'No locks yet' })).toBeVisible();
  await expect(page).toHaveURL(`${server.url}/`);
  await untilAlive(page);
  const line = page.locator('pre');
  await expect(line).toContainText('YOUR_KEY');
  await page.getByRole('button', { name: 'Create API key' }).click();
  await expect(page.getByText('You won’t see it again.')).toBeVisible();
  const key = /Bearer ([^']+)'/.exec(await line.innerText())?.[1] ?? '';
  await expect(page.getByText(key, { exact: true })).toBeVisible();

  const loads = countLoads(page);
  const { stdout } = await promisify(execFile)('sh', ['-c', await line.innerText()]);
  expect(JSON.parse(stdout)).toMatchObject({ result: { data: { outcome: 'granted' } } });
  const row = lockRow(page, 'first-lock');
  await expect(row).toContainText('my-shell');
  await expect(row).toContainText('Held');
  expect(loads()).toBe(0);

  await openPage(page, `${server.url}/settings?section=keys`);
  await expect(page.getByRole('row').filter({ hasText: 'first-service' })).toBeVisible();
  expect(await page.content()).not.toContain(key);
});

test('the setup link works once', async ({ browser }) => {
  const page = await openElsewhere(browser, setupLink);
  await expect(page).toHaveURL(`${server.url}/sign-in`);
  const second = { name: 'Mallory', password: 'let me in as well', token: tokenOf(setupLink) };
  expect(await refusalOf(server, '', 'session.setup', second)).toBe('CONFLICT');
  await page.context().close();
});

test('a wrong password and an unknown name are refused with the same message', async ({
  browser,
}) => {
  const page = await openElsewhere(browser, `${server.url}/sign-in`);
  await signInAs(page, name, 'not the password');
  await expect(complaint(page).first()).not.toBeEmpty();
  const words = await complaint(page).first().innerText();
  await page.reload();
  await untilAlive(page);
  await signInAs(page, 'Unknown User', 'not the password');
  await expect(complaint(page).first()).toHaveText(words);
  await expect(page).toHaveURL(`${server.url}/sign-in`);
  await page.context().close();
});

test('a password never gets into an address, not even before the page can send it itself', async ({
  browser,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${server.url}/sign-in`);
  await page.getByLabel('Password').fill(password);
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeDisabled();
  await page.getByLabel('Password').press('Enter');
  await expect(page.locator('form')).toHaveAttribute('method', 'post');
  expect(page.url()).toBe(`${server.url}/sign-in`);
  await context.close();
});

test('signing out ends the session, and name and password sign in again', async ({ browser }) => {
  const page = await openElsewhere(browser, `${server.url}/sign-in`);
  await signInAs(page, name, password);
  await expect(lockRow(page, 'first-lock')).toBeVisible();
  await untilAlive(page);
  const [session] = await page.context().cookies();
  await page.getByRole('button', { name: `Account of ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${server.url}/sign-in`);

  const old = `${session?.name}=${session?.value}`;
  const next = { current: password, next: newPassword };
  expect(await refusalOf(server, old, 'session.changePassword', next)).toBe('UNAUTHENTICATED');
  await openPage(page, server.url);
  await expect(page).toHaveURL(`${server.url}/sign-in`);
  await page.context().close();
});

test('users see their sessions, sign out one and then all others, whose open pages end', async ({
  browser,
}) => {
  const from = async (userAgent: string) => {
    const page = await openElsewhere(browser, `${server.url}/sign-in`, userAgent);
    await signInAs(page, name, password);
    await expect(lockRow(page, 'first-lock')).toBeVisible();
    return page;
  };
  const here = await from('Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Firefox/145.0');
  const [lost, third] = [await from('A lost <b>tablet</b>'), await from('Another one')];
  await openPage(here, `${server.url}/settings`);
  const part = here.getByRole('region', { name: 'Your sessions' });
  const row = (hasText: string) => part.getByRole('row').filter({ hasText });
  await expect(row('Firefox on Linux')).toContainText('(this session)');
  await expect(row('Another one')).toContainText('127.0.0.1');
  await row('A lost <b>tablet</b>').getByRole('button', { name: 'Sign out' }).click();
  await expect(row('A lost')).toHaveCount(0);
  await expect(lost).toHaveURL(/\/sign-in/);
  await expect(row('Another one')).toBeVisible();

  await part.getByRole('button', { name: 'Sign out all others' }).click();
  await expect(part.getByRole('row').filter({ has: here.getByRole('cell') })).toHaveCount(1);
  await expect(third).toHaveURL(/\/sign-in/);
  await expect(part.getByRole('button', { name: 'Sign out all others' })).toHaveCount(0);

  await row('(this session)').getByRole('button', { name: 'Sign out' }).click();
  await expect(here).toHaveURL(/\/sign-in/);
  await openPage(here, `${server.url}/settings`);
  await expect(here).toHaveURL(/\/sign-in/);
  await Promise.all([here, lost, third].map((page) => page.context().close()));
});

test('a changed password ends the other sessions, at once and on their open pages', async ({
  browser,
}) => {
  const here = await openElsewhere(browser, `${server.url}/sign-in`);
  await signInAs(here, name, password);
  const there = await openElsewhere(browser, `${server.url}/sign-in`);
  await signInAs(there, name, password);
  await expect(lockRow(there, 'first-lock')).toBeVisible();

  await expect(lockRow(here, 'first-lock')).toBeVisible();
  await openPage(here, `${server.url}/settings`);
  await here.getByLabel('Current password').fill(password);
  await here.getByLabel('New password').fill(newPassword);
  await here.getByRole('button', { name: 'Change password' }).click();
  await expect(here.getByText('Password changed. Other sessions were signed out.')).toBeVisible();

  await expect(there).toHaveURL(`${server.url}/sign-in`);
  await untilAlive(there);
  await signInAs(there, name, password);
  await expect(complaint(there).first()).toBeVisible();
  await signInAs(there, name, newPassword);
  await expect(lockRow(there, 'first-lock')).toBeVisible();
  await openPage(here, server.url);
  await expect(lockRow(here, 'first-lock')).toBeVisible();
  await Promise.all([here.context().close(), there.context().close()]);
});
