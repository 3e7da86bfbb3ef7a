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

/** Keeps the page's own code from coming, as while the server is away. */
const loseScripts = (page: Page) => page.route(SCRIPTS, (route) => route.abort());

const dialog = (page: Page) => page.getByRole('dialog');

test('a dialog that cannot be loaded says so in its place, and opens once the server is back', async ({
  page,
}) => {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto('/?view=all');
  await untilAlive(page);
  await loseScripts(page);
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('menuitem', { name: 'Save this view…' }).click();
  await expect(dialog(page).getByRole('alert')).toContainText('Server not responding.');
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('menuitem', { name: 'Save this view…' }).click();
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.unroute(SCRIPTS);
  await expect(dialog(page)).toHaveAccessibleName('Save this view');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('grid', { name: 'Locks' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Saved views' })).toBeFocused();
  expect(errors).toEqual([]);
});

test('a part of a page that cannot be loaded says so in its place, and comes once the server is back', async ({
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
