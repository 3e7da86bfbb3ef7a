import type { Page } from 'playwright/test';
import { type ListWatch, watchList } from './list-watch';
import { openLive } from './locks-page';
import { expect, test } from './lockyard-test';
import { type RunningServer, startServer } from './start-server';

/** One demo, which grows older from test to test. */
test.describe.configure({ mode: 'serial' });
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

const STILL_SAMPLES = 20;

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

test('the demo signs in by its link and shows 63 locks of real services in all states', async ({
  page,
}) => {
  await enter(page);
  await page.goto(`${server.url}/?view=all`);
  await expect(page.getByText('Demo', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^All 63$/ })).toBeVisible({ timeout: 60_000 });
  await expect(rowOf(page, 'Frozen').first()).toContainText('orders:reindex:shard-2');
  await expect(rowOf(page, 'Contended').first()).toBeVisible();
  await expect(rowOf(page, 'Orphaned')).toContainText('media:archive:nightly');
  await expect(rowOf(page, 'Expired').filter({ hasText: 'shipping' })).toBeVisible({
    timeout: 60_000,
  });
});

test('its first page has an hour of history, one incident and two deadlocked owners', async ({
  page,
}) => {
  await enter(page);
  await expect(page.locator('[data-figure="stuck"]')).toContainText(/0–\d+ in last hour/);
  await page.goto(`${server.url}/insights`);
  const incident = page.getByRole('listitem').filter({ hasText: 'inventory-5d8f:worker-11' });
  await expect(incident.filter({ hasText: 'Stuck' })).toContainText(/held the lock for [456].m/, {
    timeout: 60_000,
  });
  await page.goto(`${server.url}/waits`);
  const heads = page.getByRole('region', { name: 'Head blockers' }).getByRole('listitem');
  await expect(heads.filter({ hasText: 'Deadlock' })).toContainText('billing-44d0:transfer-7');
});

test('its ticket shop sells out to exactly 0, and refuses further sales', async ({ page }) => {
  await enter(page);
  await page.goto(`${server.url}/counters`);
  await expect(rowOf(page, 'at the floor, 200 below the ceiling')).toContainText('open-air-2026', {
    timeout: 120_000,
  });
  // A delivery may have come in between; then the tickets have to sell out again first.
  await expect(rowOf(page, 'turned-away')).toContainText(/[1-9]\d* above the floor/, {
    timeout: 60_000,
  });
  await expect(rowOf(page, 'open-air-2026')).toContainText(/1\d\d above the floor/, {
    timeout: 60_000,
  });
});

test('one of its locks soon becomes stuck @long', async ({ page }) => {
  await enter(page);
  await expect(rowOf(page, 'Stuck').first()).toContainText('cron:nightly-report', {
    timeout: 120_000,
  });
});

test('the list of a busy fleet is steady @long', async ({ page }) => {
  await enter(page);
  await openLive(page, `${server.url}/?view=all`);
  await page.mouse.move(700, 5);
  await page.evaluate(watchList);
  await page.waitForTimeout(500 * STILL_SAMPLES);
  const seen = await page.evaluate(() => (window as unknown as { seen: ListWatch }).seen);
  expect(seen.samples).toBeGreaterThan(STILL_SAMPLES / 2);
  expect(seen.reranks).toBeLessThanOrEqual(Math.ceil(STILL_SAMPLES / 10));
  expect(seen.shift).toBeLessThanOrEqual(0.02);
  expect(seen.flashes).toBe(seen.changes);
});

test('the demo ends on request', async () => {
  expect(await server.stop()).toBe(0);
});
