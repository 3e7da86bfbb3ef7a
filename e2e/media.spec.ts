import { DEFAULT_POLICY } from '../server/contract/namespace-policy';
import { lockPath } from '../server/core/paths/console-path';
import { openLive, openPage } from './locks-page';
import { callConsole, createService, expect, signIn, test, waitFor } from './lockyard-test';

test('a page in dark colours is printed in dark ink, and with its bars', async ({
  page,
  context,
  server,
  admin,
}) => {
  await signIn(context, server, admin);
  const policy = { ...DEFAULT_POLICY, stuckAfterMs: 1_000 };
  await callConsole(server, admin.cookie, 'namespaces.create', { name: 'paper', policy });
  const press = await createService(server, admin, 'press', ['paper']);
  const ask = { namespace: 'paper', name: 'printed', leaseMs: 600_000 };
  await press.acquire(ask);
  void waitFor(press, { ...ask, owner: 'press-2' });
  await page.setViewportSize({ width: 794, height: 1123 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await openLive(page, lockPath(ask.namespace, ask.name));
  const recommended = page.getByRole('region', { name: 'Recommended' });
  await expect(recommended).toBeVisible();
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
  await expect(recommended).toBeHidden();
  await expect(page.getByText('Skip to content')).toBeHidden();
  await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await expect(page.locator('.lease-bar').first()).toHaveCSS('print-color-adjust', 'exact');
});

test('in forced colours a choice shows what is chosen', async ({
  page,
  context,
  server,
  admin,
}) => {
  await signIn(context, server, admin);
  await page.emulateMedia({ forcedColors: 'active' });
  await openPage(page, '/waits');
  const choice = page.getByRole('group', { name: 'Show waits as' }).locator('.choice');
  await expect(choice.filter({ hasText: 'Graph' })).toHaveCSS('outline-style', 'solid');
  await expect(choice.filter({ hasText: 'List' })).toHaveCSS('outline-style', 'none');
});
