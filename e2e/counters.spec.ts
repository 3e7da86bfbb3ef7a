import type { Page } from 'playwright/test';
import type { LockyardClient } from '../client/lockyard';
import { expectSound } from './expect-sound';
import {
  callConsole,
  createPerson,
  createService,
  expect,
  type Person,
  refusalOf,
  signIn,
  test,
} from './lockyard-test';
import { guardPage } from './page-guard';
import type { RunningServer } from './start-server';

const reason = 'stock was counted';

let orders: LockyardClient;
let operator: Person;
let viewer: Person;
test.beforeAll(async ({ server, admin }) => {
  orders = await createService(server, admin, 'orders');
  operator = await createPerson(server, admin, 'operator', 'opal');
  viewer = await createPerson(server, admin, 'viewer', 'vera');
});

let faults: () => string[] = () => [];
test.beforeEach(async ({ page, server }) => {
  faults = await guardPage(page, server.url);
  await page.emulateMedia({ reducedMotion: 'reduce' });
});
test.afterEach(() => expect(faults()).toEqual([]));

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const standing = (page: Page) => page.getByRole('region', { name: 'Current value' });
const moves = (page: Page) => page.getByRole('region', { name: 'History' }).getByRole('listitem');

async function as(page: Page, server: RunningServer, person: Person, path: string) {
  await signIn(page.context(), server, person);
  await page.goto(path);
}

test('the list follows what services add, and shows the headroom of each counter', async ({
  page,
  server,
}) => {
  await orders.createCounter({ name: 'tickets:main', initial: 100, floor: 0, ceiling: 100 });
  await as(page, server, viewer, '/counters');
  await expect(page.getByRole('link', { name: 'Counters', exact: true })).toHaveAttribute(
    'aria-current',
    'page',
  );
  const tickets = row(page, 'tickets:main');
  await expect(tickets).toContainText('at the ceiling');
  await orders.addToCounter({ name: 'tickets:main', delta: -40 });
  await expect(tickets).toContainText('60 above the floor, 40 below the ceiling');
  await expect(tickets).toContainText('−40 by orders');
  await orders.addToCounter({ name: 'tickets:main', delta: -60 });
  await expect(tickets).toContainText('at the floor');

  await orders.createCounter({ name: 'another' });
  await expect(row(page, 'another')).toContainText('no limits');
  for (const width of [1000, 1440, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    const heights = await page
      .getByRole('row')
      .evaluateAll((rows) => rows.map((each) => each.getBoundingClientRect().height));
    expect(Math.max(...heights), `a line a counter at ${width} px`).toBeLessThanOrEqual(32);
  }
  const search = page.getByRole('searchbox', { name: 'Search counters' });
  await search.fill('TICK');
  await expect(row(page, 'another')).toHaveCount(0);
  await expect(tickets).toBeVisible();

  await tickets.getByRole('link').click();
  await expect(standing(page)).toBeVisible();
  await page.goBack();
  await expect(search).toHaveValue('TICK');
  await expect(tickets).toBeVisible();
  await expect(row(page, 'another')).toHaveCount(0);
  await page.reload();
  await expect(search).toHaveValue('TICK');
  await expect(row(page, 'another')).toHaveCount(0);
});

test('an operator creates a counter, sets it and changes its bounds, each with a reason', async ({
  page,
  server,
}) => {
  await as(page, server, operator, '/counters');
  await page.getByRole('button', { name: 'New counter…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('textbox', { name: /^Name/ })).toBeFocused();
  await page.keyboard.type('seats');
  await dialog.getByLabel('Initial value').fill('1,200');
  await dialog.getByLabel('Ceiling').fill('1000');
  await expect(dialog).toContainText('Outside the limits');
  await dialog.getByLabel('Ceiling').fill('2000');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: 'Create counter' }).click();

  await expect(page).toHaveURL(/\/counters\/default\/seats$/);
  await expect(standing(page)).toContainText('1,200');
  await page.getByRole('button', { name: 'Set value…' }).click();
  await dialog.getByLabel('New value').fill('1500');
  await expect(dialog).toContainText('+300 from 1,200');
  const set = dialog.getByRole('button', { name: 'Set to 1,500' });
  await expect(set).toBeDisabled();
  await dialog.getByLabel('Reason').fill(reason);
  await set.click();
  await expect(dialog).toHaveCount(0);
  await expect(standing(page)).toContainText('1,500');

  await page.getByRole('button', { name: 'Edit limits…' }).click();
  await dialog.getByLabel('Floor').fill('1600');
  await dialog.getByLabel('Reason').fill(reason);
  await expect(dialog).toContainText('Required: limits that include 1,500');
  await dialog.getByLabel('Floor').fill('1500');
  await dialog.getByRole('button', { name: 'Set limits' }).click();
  await expect(standing(page)).toContainText('at the floor, 500 below the ceiling');
  await expect(moves(page)).toHaveCount(3);
  await expect(moves(page).first()).toContainText('floor 1,500, ceiling 2,000');
  await expect(moves(page).nth(1)).toContainText('+300');
  await expect(moves(page).nth(1)).toContainText(`opal“${reason}”`);

  await page.goto('/audit');
  await expect(row(page, 'seats').first()).toContainText('Changed counter limits');
  await expect(row(page, 'seats')).toHaveCount(3);
});

test('a value that changes while the dialog is open is overwritten only on purpose', async ({
  page,
  server,
}) => {
  await orders.createCounter({ name: 'moving', initial: 10 });
  await as(page, server, operator, '/counters/default/moving');
  await page.getByRole('button', { name: 'Set value…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('New value').fill('50');
  await dialog.getByLabel('Reason').fill(reason);
  await orders.addToCounter({ name: 'moving', delta: 3 });
  await expect(dialog.getByRole('alert')).toContainText('Value changed from 10 to 13');
  await expect(dialog.getByRole('button', { name: 'Set to 50' })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Use current state' }).click();
  await dialog.getByRole('button', { name: 'Set to 50' }).click();
  await expect(standing(page)).toContainText('50');
  expect(await orders.getCounter({ name: 'moving' })).toMatchObject({ value: 50 });

  await page.getByRole('button', { name: 'Adjust…' }).click();
  await dialog.getByLabel('Adjust by').fill('-7');
  await dialog.getByLabel('Reason').fill(reason);
  await orders.addToCounter({ name: 'moving', delta: 3 });
  await expect(dialog).toContainText('53 → 46 as it is now');
  await dialog.getByRole('button', { name: 'Adjust by −7' }).click();
  await expect(standing(page)).toContainText('Changed 53 → 46');

  await page.getByRole('button', { name: 'Set value…' }).click();
  await dialog.getByLabel('New value').fill('9');
  await dialog.getByLabel('Reason').fill(reason);
  await orders.addToCounter({ name: 'moving', delta: 1 });
  await dialog.getByRole('button', { name: 'Set anyway' }).click();
  await orders.addToCounter({ name: 'moving', delta: 1 });
  await dialog.getByRole('button', { name: 'Set to 9 anyway' }).click();
  await expect(standing(page)).toContainText('Changed 48 → 9');
});

test('a viewer sees everything and cannot change anything', async ({ page, server }) => {
  await orders.createCounter({ name: 'watched', initial: 7 });
  await as(page, server, viewer, '/counters/default/watched');
  await expect(standing(page)).toContainText('7');
  await expect(page.getByRole('button', { name: 'Set value…' })).toHaveCount(0);
  await page.goto('/counters');
  await expect(row(page, 'watched')).toBeVisible();
  await expect(page.getByRole('button', { name: 'New counter…' })).toHaveCount(0);
  const act = { namespace: 'default', name: 'watched', rev: 1, seenValue: 7, value: 8, reason };
  expect(await refusalOf(server, viewer.cookie, 'counters.adjust', act)).toBe('FORBIDDEN');
  await callConsole(server, operator.cookie, 'counters.adjust', act);
  await expect(row(page, 'watched')).toContainText('+1 by opal');
});

test('a counter that was never created has no page', async ({ page, server }) => {
  await as(page, server, viewer, '/counters/default/never');
  await expect(page.getByRole('heading')).toContainText('Page not found');
  await expect(page).toHaveTitle('Page not found · Lockyard');
  await expect(page.getByText('no counter “never” in namespace “default”')).toBeVisible();
  await page.getByRole('link', { name: 'Counters' }).click();
  await expect(page.getByRole('searchbox', { name: 'Search counters' })).toBeVisible();
  // The browser itself logs that the page is a 404.
  expect(faults().splice(0)).toEqual([expect.stringContaining('status of 404')]);
});

test('an address that ends at the namespace leads to the counters in it', async ({
  page,
  server,
}) => {
  await orders.createCounter({ name: 'in-a-namespace' });
  await as(page, server, viewer, '/counters/default');
  await expect(row(page, 'in-a-namespace')).toBeVisible();
  await expect(page.getByRole('searchbox', { name: 'Search counters' })).toHaveValue('default/');
});

test.describe('on any screen, in light and dark,', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const long = `a-very-long-name:${'segment/'.repeat(20)}end`;
  test.beforeAll(async () => {
    await orders.createCounter({ name: long, initial: -most, floor: -most, ceiling: most });
    for (const delta of [5, -2, 900]) await orders.addToCounter({ name: long, delta });
  });

  test('both pages are usable', async ({ page, server }) => {
    await as(page, server, operator, '/counters');
    await expect(row(page, 'segment')).toBeVisible();
    await expectSound(page);
    await row(page, 'segment').getByRole('link').click();
    await expect(moves(page).first()).toBeVisible();
    await expectSound(page);
  });

  for (const word of ['Set value…', 'Edit limits…', 'New counter…']) {
    test(`the dialog is usable: ${word}`, async ({ page, server }) => {
      const isOfOne = word !== 'New counter…';
      const path = isOfOne ? `/counters/default/${encodeURIComponent(long)}` : '/counters';
      await as(page, server, operator, path);
      await page.getByRole('button', { name: word }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await expectSound(page, '[role="dialog"]');
    });
  }
});

test('the largest value is in one line of the list, on every screen that shows a table', async ({
  page,
  server,
}) => {
  const largest = Number.MAX_SAFE_INTEGER;
  await orders.createCounter({ name: 'ids:largest', initial: -largest });
  await as(page, server, viewer, '/counters?q=ids:largest');
  const value = row(page, 'ids:largest').getByText('−9,007,199,254,740,991', { exact: true });
  for (const width of [900, 1280, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    const lines = await value.evaluate((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map(({ top }) => top)).size;
    });
    expect(lines, `${width} px`).toBe(1);
  }
});
