import { expect, test } from './lockyard-test';
import { type RunningServer, startServer } from './start-server';

test.use({ baseURL: undefined });

let server: RunningServer;
test.beforeAll(async () => {
  server = await startServer({ LOCKYARD_DEMO: '1' });
});
test.afterAll(() => server?.discard());

test('the demo signs in by its link and shows twenty locks of real services, some waited for, one that its holder left behind', async ({
  page,
}) => {
  const link = /https?:\/\/\S+token=\S+/.exec(server.output())?.[0] ?? '';
  await page.goto(link);
  await expect(page).toHaveURL(`${server.url}/`);
  await expect(page.getByText('Demo', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^All 20$/ })).toBeVisible({ timeout: 40_000 });
  await expect(page.getByRole('row').filter({ hasText: 'Contended' }).first()).toBeVisible();
  const abandoned = page.getByRole('row').filter({ hasText: 'Expired' });
  await expect(abandoned.first()).toContainText('shipping', { timeout: 40_000 });
  expect(await server.stop()).toBe(0);
});
