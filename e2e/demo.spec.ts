import { expect, test } from './lockyard-test';
import { type RunningServer, startServer } from './start-server';

test.use({ baseURL: undefined });

let server: RunningServer;
test.beforeAll(async () => {
  server = await startServer({ LOCKYARD_DEMO: '1' });
});
test.afterAll(() => server?.discard());

test('the demo signs in by its link and shows sixty locks of real services: waited for, left behind, frozen, and one that is stuck', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const link = /https?:\/\/\S+token=\S+/.exec(server.output())?.[0] ?? '';
  await page.goto(link);
  await expect(page).toHaveURL(`${server.url}/`);
  await expect(page.getByText('Demo', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^All 60$/ })).toBeVisible({ timeout: 60_000 });
  const row = (status: string) => page.getByRole('row').filter({ hasText: status }).first();
  await expect(row('Frozen')).toContainText('orders:reindex:shard-2');
  await expect(row('Contended')).toBeVisible();
  await expect(
    page.getByRole('row').filter({ hasText: 'Expired' }).filter({ hasText: 'shipping' }),
  ).toBeVisible({ timeout: 60_000 });
  await expect(row('Stuck')).toContainText('cron:nightly-report', { timeout: 120_000 });
});

test('its ticket shop sells out to exactly nothing, and turns people away', async ({ page }) => {
  test.setTimeout(180_000);
  const link = /https?:\/\/\S+token=\S+/.exec(server.output())?.[0] ?? '';
  await page.goto(link);
  await page.goto(`${server.url}/counters`);
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });
  await expect(row('at the floor, 200 below the ceiling')).toContainText('open-air-2026', {
    timeout: 120_000,
  });
  await expect(row('turned-away')).toContainText(/[1-9]\d* above the floor/);
  await expect(row('open-air-2026')).toContainText(/1\d\d above the floor/, { timeout: 60_000 });
  expect(await server.stop()).toBe(0);
});
