import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright/test';
import { expectNoViolation, expectSound } from './expect-sound';
import { createPerson, expect, type Person, signIn, test } from './lockyard-test';
import { guardPage } from './page-guard';
import type { RunningServer } from './start-server';

const wrongWays = [
  'Computed in memory, written back',
  'Checked in memory, subtracted in SQL',
  'Mutex released before the commit',
];

let operator: Person;
let viewer: Person;
test.beforeAll(async ({ server, admin }) => {
  operator = await createPerson(server, admin, 'operator', 'laura');
  viewer = await createPerson(server, admin, 'viewer', 'luis');
});

let faults: () => string[] = () => [];
test.beforeEach(async ({ page, server }) => {
  faults = await guardPage(page, server.url);
  await page.emulateMedia({ reducedMotion: 'reduce' });
});
test.afterEach(() => expect(faults()).toEqual([]));

async function as(page: Page, server: RunningServer, person: Person, path: string) {
  await signIn(page.context(), server, person);
  await page.goto(path);
}

const row = (page: Page, title: string) => page.getByRole('row').filter({ hasText: title });

/** Starts a race of the wrong ways on embedded SQLite. */
async function raceWrongWays(page: Page, more: Record<string, string> = {}) {
  await page.getByRole('button', { name: 'Wrong ways' }).click();
  const fields = { Workers: '12', 'Units in stock': '40', 'Think time (ms)': '5', ...more };
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
  await page.getByRole('button', { name: 'Start race' }).click();
  await expect(page).toHaveURL(/\/lab\/[A-Za-z0-9]{12}$/);
}

const finished = (page: Page) =>
  expect(page.getByText(/Finished in/)).toBeVisible({ timeout: 60_000 });

test('without any server the wrong ways visibly oversell, and the run can be exported', async ({
  page,
  server,
}) => {
  await as(page, server, operator, '/');
  await page.getByRole('link', { name: 'Lab', exact: true }).click();
  const servers = page.getByRole('region', { name: 'Servers' });
  await expect(servers).toContainText('LOCKYARD_LAB_MYSQL_URL');
  await expect(page.getByRole('checkbox', { name: 'Session row lock' })).toBeDisabled();
  await raceWrongWays(page);
  await finished(page);
  for (const title of wrongWays) {
    await expect(row(page, title)).toContainText(/\+\d+/);
    await expect(row(page, title)).toContainText('Oversells');
  }
  const verdict = page.getByRole('heading', { level: 2 }).first();
  await expect(verdict).toHaveText(/Three wrong ways oversold by [\d,]+.units\./);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'JSON' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^lockyard-lab-[\dT-]+\.json$/);
  const run = JSON.parse(await readFile(await download.path(), 'utf8'));
  expect(run).toMatchObject({ format: 'lockyard-lab-run', version: 1, startedBy: 'laura' });
  expect(run.rows.map(({ verdict }: { verdict: string }) => verdict)).toEqual(
    wrongWays.map(() => 'oversells'),
  );
  await expectSound(page);
});

test('the source of a strategy is one click away, from the form and from a result', async ({
  page,
  server,
}) => {
  await as(page, server, viewer, '/lab');
  const [first = ''] = wrongWays;
  await page.getByRole('button', { name: `Source of ${first}` }).click();
  const dialog = page.getByRole('dialog', { name: first });
  await expect(dialog).toContainText('server/strategies/wrong-ways/value-written-back.ts');
  await expect(dialog.getByRole('button', { name: 'Copy the source' })).toBeVisible();
  await expect(dialog.locator('[data-kind="keyword"]').first()).toBeVisible();
  await expectNoViolation(page, 1440);
  await page.keyboard.press('Escape');
  await page.getByRole('region', { name: 'Runs' }).getByRole('link').first().click();
  await page.getByRole('button', { name: first, exact: true }).click();
  await expect(dialog).toContainText('server/strategies/wrong-ways/value-written-back.ts');
});

test('a running race is shown live, prevents a second one, and stops on request', async ({
  page,
  server,
  browser,
}) => {
  await as(page, server, operator, '/lab');
  // Too much to sell in a minute. While they think, they leave processor time to the page.
  await raceWrongWays(page, {
    'Units in stock': '100000',
    'Think time (ms)': '100',
    'Time limit each (s)': '60',
  });
  await expect(page.getByRole('progressbar')).toBeVisible();
  await expect(page.locator('svg.recharts-surface').first()).toBeVisible();
  await expect(page.getByText('1 of 3')).toBeVisible();
  // A strategy that is stopped before its first sample has no course.
  await expect(page.locator('figcaption')).toContainText('of 100,000 sold');

  const elsewhere = await browser.newContext({ baseURL: server.url });
  await signIn(elsewhere, server, viewer);
  const other = await elsewhere.newPage();
  await other.goto('/lab');
  await expect(other.getByText(/laura started a race at/)).toBeVisible();
  await expect(other.getByRole('button', { name: 'Start race' })).toHaveCount(0);
  await expect(other.getByText('Requires operator role.')).toBeVisible();
  await elsewhere.close();

  await expectNoViolation(page, 1440);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(page.getByText(/Stopped by laura after/)).toBeVisible({ timeout: 40_000 });
  // Results and charts are shown together, also when the page is opened again.
  await page.reload();
  await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible();
  const course = page.getByRole('region', { name: 'Course' });
  await expect(course.getByRole('combobox', { name: 'Course of' })).toContainText(
    wrongWays[0] ?? '',
  );
  await expect(course.locator('svg.recharts-surface').first()).toBeVisible();
  // Pointing at one chart shows the same reading in both.
  await course.locator('[data-chart="opsPerSecond"] svg.recharts-surface').hover();
  const instants = course.locator('.chart-tip b');
  await expect(instants).toHaveCount(2);
  expect(new Set(await instants.allInnerTexts()).size).toBe(1);
  await expectSound(page);
  await page.goto('/audit');
  await expect(row(page, 'Stopped race').first()).toContainText('laura');
});

test('an invalid entry is reported at its field, and nothing can be started', async ({
  page,
  server,
}) => {
  await as(page, server, operator, '/lab');
  const start = page.getByRole('button', { name: 'Start race' });
  await expect(start).toBeEnabled();
  for (const stock of ['0', '-5', '99999999999', 'many']) {
    await page.getByLabel('Units in stock').fill(stock);
    await expect(page.getByText('Must be a whole number from 1 to 100,000')).toBeVisible();
    await expect(start).toBeDisabled();
  }
  await page.getByLabel('Units in stock').fill('500');
  await expect(start).toBeEnabled();
  await page.getByRole('button', { name: 'None' }).click();
  await expect(page.getByText('Required: at least one strategy')).toBeVisible();
  await expectSound(page);
});

test('two runs are compared strategy by strategy', async ({ page, server }) => {
  await as(page, server, operator, '/lab');
  const boxes = page.getByRole('checkbox', {
    name: /^Compare the run of laura from \d\d:\d\d:\d\d$/,
  });
  await boxes.first().check();
  await boxes.nth(1).check();
  await page.getByRole('link', { name: 'Compare 2 runs' }).click();
  await expect(page.getByRole('heading', { name: 'Compare runs' })).toBeVisible();
  await expect(page.getByText(/settings? differs?: stock/)).toBeVisible();
  await expect(row(page, wrongWays[0] ?? '')).toContainText('Oversells');
  await expectSound(page);
});
