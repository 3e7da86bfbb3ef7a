import type { Page } from 'playwright/test';
import { untilAlive } from './locks-page';
import { createService, expect, signIn, test } from './lockyard-test';

const SCRIPTS = '**/_next/static/chunks/*.js';

const NAME = 'previewed-late';

test.beforeAll(async ({ server, admin }) => {
  const service = await createService(server, admin, 'late-parts');
  await service.acquire({ name: NAME, leaseMs: 600_000 });
});
test.beforeEach(({ page, server, admin }) => signIn(page.context(), server, admin));

/** Blocks the page's own code, as if the server were unreachable. */
const loseScripts = (page: Page) => page.route(SCRIPTS, (route) => route.abort());

const dialog = (page: Page) => page.getByRole('dialog');

test('a dialog that cannot load says so in its place, and opens once the server is back', async ({
  page,
}) => {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto('/?view=all');
  await untilAlive(page);
  await page.getByRole('button', { name: 'Saved views' }).click();
  const item = page.getByRole('menuitem', { name: 'Save this view…' });
  await expect(item).toBeVisible();
  await loseScripts(page);
  await item.click();
  await expect(dialog(page).getByRole('alert')).toContainText('Server not responding.');
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Saved views' }).click();
  await item.click();
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.unroute(SCRIPTS);
  await expect(dialog(page)).toHaveAccessibleName('Save this view');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('grid', { name: 'Locks' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Saved views' })).toBeFocused();
  expect(errors).toEqual([]);
});

test('a menu that cannot be loaded says so, and opens once the server is back', async ({
  page,
}) => {
  await page.goto('/?view=all');
  await untilAlive(page);
  await loseScripts(page);
  const state = page.getByRole('button', { name: 'state: any' });
  await expect(state).toHaveAttribute('aria-haspopup', 'menu');
  await state.click();
  await expect(dialog(page).getByRole('alert')).toContainText('Server not responding.');
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await expect(state).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByRole('alert')).toContainText('Server not responding.');
  await page.unroute(SCRIPTS);
  const first = page.getByRole('menuitemcheckbox').first();
  await expect(first).toBeFocused();
  await expect(dialog(page)).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expect(state).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(first).toBeFocused();
});

test('a part of a page that cannot load says so there and appears once the server is back', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`/?view=all&peek=default/${NAME}`);
  const preview = page.getByRole('complementary', { name: 'Lock preview' });
  await expect(preview.getByRole('heading', { name: NAME })).toBeVisible();
  await untilAlive(page);
  await loseScripts(page);
  await preview.getByRole('button', { name: 'Show timeline' }).click();
  await expect(preview.getByRole('alert')).toContainText('Server not responding.');
  await page.unroute(SCRIPTS);
  await expect(preview.getByRole('region', { name: 'Timeline' })).toBeVisible();
});

/** Requests with which Next loads a page ahead. */
function notePrefetches(page: Page): string[] {
  const prefetched: string[] = [];
  page.on('request', (request) => {
    const headers = Object.keys(request.headers());
    const isAhead = headers.some((name) => /^next-router-.*prefetch$/.test(name));
    if (isAhead) prefetched.push(new URL(request.url()).pathname);
  });
  return prefetched;
}

test('a preview that cannot be loaded covers the list of a phone only until it is closed', async ({
  page,
}) => {
  await page.setViewportSize({ width: 375, height: 740 });
  await page.goto(`/?view=all&q=${NAME}`);
  await untilAlive(page);
  await loseScripts(page);
  await page
    .locator('.lock-row')
    .first()
    .click({ position: { x: 300, y: 12 } });
  const preview = page.getByRole('complementary', { name: 'Lock preview' });
  await expect(preview.getByRole('alert')).toContainText('Server not responding.');
  await preview.getByRole('button', { name: 'Close' }).click();
  await expect(preview).toHaveCount(0);
  await expect(page.getByRole('link', { name: NAME })).toBeVisible();
});

test('a page is loaded ahead only once the pointer or the focus is on a link to it', async ({
  page,
}) => {
  const prefetched = notePrefetches(page);
  for (const address of ['/?view=all', `/locks/default/${NAME}`, '/namespaces', '/settings']) {
    await page.goto(address);
    await untilAlive(page);
    await page.waitForLoadState('networkidle');
  }
  expect(prefetched).toEqual([]);
  const rail = page.getByRole('navigation', { name: 'Main' });
  await rail.getByRole('link', { name: 'Holders' }).hover();
  await expect.poll(() => prefetched).toContain('/holders');
  await rail.getByRole('link', { name: 'Audit' }).focus();
  await expect.poll(() => prefetched).toContain('/audit');
  expect(new Set(prefetched)).toEqual(new Set(['/holders', '/audit']));
});

test('a page that loads slowly is marked in the navigation as soon as it is requested', async ({
  page,
}) => {
  await page.goto('/namespaces');
  await untilAlive(page);
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route(/\/audit/, (route) => held.then(() => route.continue()));
  const audit = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit' });
  await audit.click();
  await expect(audit.locator('.rail-pending')).toBeVisible();
  goOn();
  await expect(page.getByRole('heading', { level: 1, name: 'Audit' })).toBeVisible();
  await expect(audit.locator('.rail-pending')).toHaveCount(0);
});

test('the slider of the past is shown once its place is known', async ({ page }) => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/past\.range/, async (route) => {
    await answered;
    await route.continue();
  });
  await page.goto(`/?at=${Date.now()}`);
  const past = page.getByRole('region', { name: 'Looking back' });
  await expect(past.getByRole('link', { name: 'Back to live' })).toBeVisible();
  await expect(past.getByRole('slider')).toHaveCount(0);
  answer();
  await expect(past.getByRole('slider')).toBeVisible();
});
