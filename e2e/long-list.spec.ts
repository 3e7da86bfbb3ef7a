import type { Page } from 'playwright/test';
import type { LockyardClient } from '../client/lockyard';
import { cell, lockRow, openLive } from './locks-page';
import { createKey, createService, expect, signIn, test } from './lockyard-test';
import type { RunningServer } from './start-server';

const COUNT = 3_000;
const AT_ONCE = 20;

const nameOf = (place: number) => `bin:${String(place).padStart(5, '0')}`;

let bins: LockyardClient;
test.beforeAll(async ({ server, admin }) => {
  bins = await createService(server, admin, 'bins');
  await takeMany(server, await createKey(server, admin, 'filler'));
});
test.beforeEach(({ context, server, admin }) => signIn(context, server, admin));

/** Acquires every lock, many in one request. */
async function takeMany({ url }: RunningServer, apiKey: string): Promise<void> {
  for (let from = 0; from < COUNT; from += AT_ONCE) {
    const asks = Array.from({ length: AT_ONCE }, (_, i) => {
      const name = nameOf(from + i);
      return [i, { name, owner: `filler-${from + i}`, leaseMs: 3_600_000 }] as const;
    });
    const path = new Array(AT_ONCE).fill('lock.acquire').join(',');
    const reply = await fetch(`${url}/api/v1/${path}?batch=1`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
      body: JSON.stringify(Object.fromEntries(asks)),
    });
    expect(reply.status).toBe(200);
  }
}

const grid = (page: Page) => page.getByRole('grid', { name: 'Locks' });
const scrollTo = (page: Page, share: number) =>
  grid(page).evaluate((element, to) => {
    const scroller = element.parentElement as HTMLElement;
    scroller.scrollTop = to * scroller.scrollHeight;
  }, share);

test('every lock can be scrolled to and is live; another order begins at its first row', async ({
  page,
}) => {
  await openLive(page, '/?sort=name&q=bin:');
  await expect(lockRow(page, nameOf(0))).toBeVisible();
  await expect(grid(page)).toHaveAttribute('aria-rowcount', String(COUNT + 1));

  await scrollTo(page, 1_500 / COUNT);
  const middle = lockRow(page, nameOf(1_500));
  await expect(middle).toBeVisible();
  await expect(middle).toHaveAttribute('aria-rowindex', '1502');
  await scrollTo(page, 1);
  await expect(lockRow(page, nameOf(COUNT - 1))).toBeInViewport();
  await expect(page.getByText(/first 1,000/)).toHaveCount(0);

  const far = lockRow(page, nameOf(COUNT - 3));
  const ask = { name: nameOf(COUNT - 3), requestId: 'far' };
  const waiting = bins.acquire({ ...ask, leaseMs: 60_000, waitMs: 20_000 });
  await expect(cell(far, 'waiters')).toContainText(/^1/, { timeout: 10_000 });
  await bins.cancel(ask);
  await waiting;
  await expect(cell(far, 'waiters')).toHaveText('0', { timeout: 10_000 });

  await page.keyboard.press('Home');
  await expect(lockRow(page, nameOf(0))).toBeFocused();
  await page.keyboard.press('j');
  await expect(lockRow(page, nameOf(1))).toBeFocused();
  await page.keyboard.press('End');
  await expect(lockRow(page, nameOf(COUNT - 1))).toBeFocused();
  await page.keyboard.press('k');
  await expect(lockRow(page, nameOf(COUNT - 2))).toBeFocused();

  await page.getByRole('button', { name: 'Lock', exact: true }).click();
  await expect(page).toHaveURL(/order=descending/);
  await expect(lockRow(page, nameOf(COUNT - 1))).toBeInViewport();
  await expect(lockRow(page, nameOf(COUNT - 1))).toHaveAttribute('aria-rowindex', '2');
});

test('rows that are still loading keep their positions', async ({ page, context }) => {
  await openLive(page, '/?sort=name&q=bin:');
  await expect(lockRow(page, nameOf(0))).toBeVisible();
  await context.setOffline(true);
  await scrollTo(page, 0.5);
  const toCome = grid(page).getByRole('row').filter({ hasText: 'Loading' });
  await expect(toCome.first()).toBeVisible();
  const [height] = await toCome.evaluateAll((rows) => rows.map((row) => row.clientHeight));
  await context.setOffline(false);
  const middle = lockRow(page, nameOf(COUNT / 2));
  await expect(middle).toBeVisible();
  expect(await middle.evaluate((row) => row.clientHeight)).toBe(height);
});
