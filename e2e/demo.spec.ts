import type { Page } from 'playwright/test';
import { expect, test } from './lockyard-test';
import { type RunningServer, startServer } from './start-server';

/** One demo, which grows older from test to test. */
test.describe.configure({ mode: 'serial', timeout: 180_000 });
test.use({ baseURL: undefined });

let server: RunningServer;
test.beforeAll(async () => {
  server = await startServer({ LOCKYARD_DEMO: '1' });
});
test.afterAll(() => server?.discard());

async function enter(page: Page): Promise<void> {
  await page.goto(/https?:\/\/\S+token=\S+/.exec(server.output())?.[0] ?? '');
  await expect(page).toHaveURL(`${server.url}/`);
}

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

test('the demo signs in by its link and shows sixty locks of real services: waited for, left behind, and frozen', async ({
  page,
}) => {
  await enter(page);
  await expect(page.getByText('Demo', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^All 60$/ })).toBeVisible({ timeout: 60_000 });
  await expect(rowOf(page, 'Frozen').first()).toContainText('orders:reindex:shard-2');
  await expect(rowOf(page, 'Contended').first()).toBeVisible();
  await expect(rowOf(page, 'Expired').filter({ hasText: 'shipping' })).toBeVisible({
    timeout: 60_000,
  });
});

test('its ticket shop sells out to exactly nothing, and turns people away', async ({ page }) => {
  await enter(page);
  await page.goto(`${server.url}/counters`);
  await expect(rowOf(page, 'at the floor, 200 below the ceiling')).toContainText('open-air-2026', {
    timeout: 120_000,
  });
  await expect(rowOf(page, 'turned-away')).toContainText(/[1-9]\d* above the floor/);
  await expect(rowOf(page, 'open-air-2026')).toContainText(/1\d\d above the floor/, {
    timeout: 60_000,
  });
});

test('one of its locks is stuck before long, and it ends when it is asked to', async ({ page }) => {
  await enter(page);
  await expect(rowOf(page, 'Stuck').first()).toContainText('cron:nightly-report', {
    timeout: 120_000,
  });
  expect(await server.stop()).toBe(0);
});
