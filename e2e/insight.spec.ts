import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright/test';
import { type LockyardClient, withLock } from '../client/lockyard';
import { DEFAULT_POLICY } from '../server/contract/namespace-policy';
import { lockPath } from '../server/core/paths/console-path';
import { cell, lockRow, openLive, openPage } from './locks-page';
import {
  callConsole,
  createService,
  expect,
  type Person,
  setUp,
  signIn,
  test,
  waitFor,
} from './lockyard-test';
import { guardPage } from './page-guard';
import { type RunningServer, startServer } from './start-server';

/** One server whose every lock these tests have taken. */
test.describe.configure({ mode: 'serial' });
test.use({ baseURL: undefined });

let server: RunningServer;
let admin: Person;
let mill: LockyardClient;
test.beforeAll(async () => {
  server = await startServer();
  admin = await setUp(server);
  const policy = { ...DEFAULT_POLICY, stuckAfterMs: 1_000 };
  await callConsole(server, admin.cookie, 'namespaces.create', { name: 'quick', policy });
  mill = await createService(server, admin, 'mill', ['default', 'quick']);
});
test.afterAll(() => server?.discard());

let faults: () => string[] = () => [];
test.beforeEach(async ({ page, context }) => {
  faults = await guardPage(page, server.url);
  await signIn(context, server, admin);
});
test.afterEach(() => expect(faults()).toEqual([]));

const open = (page: Page, address: string) => openLive(page, `${server.url}${address}`);

async function take(ask: Parameters<LockyardClient['acquire']>[0]): Promise<number> {
  const answer = await mill.acquire(ask);
  if (answer.outcome !== 'granted') throw new Error(answer.outcome);
  return answer.token;
}

async function takeAndRelease(name: string, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    await mill.release({ name, token: await take({ name, leaseMs: 60_000 }) });
  }
}

const strip = (page: Page) => page.getByRole('region', { name: 'Lock metrics' });
const figure = (page: Page, name: string): Locator =>
  strip(page).locator(`[data-figure="${name}"]`);
const insights = (page: Page) => page.getByRole('region', { name: 'Wait and hold times' });
const reason = (page: Page) => page.locator('main header').first();

test('the strip counts what services really do, now and in the last hour', async ({ page }) => {
  await open(page, '/');
  await takeAndRelease('turbine', 25);
  const token = await take({ name: 'sluice', leaseMs: 600_000 });
  await take({ name: 'weir', leaseMs: 600_000 });
  await take({ name: 'gate', leaseMs: 1_500 });
  const inVain = mill.acquire({ name: 'weir', owner: 'mill-2', leaseMs: 60_000, waitMs: 500 });
  expect((await inVain).outcome).toBe('timeout');
  const served = waitFor(mill, { name: 'sluice', owner: 'mill-2', leaseMs: 600_000 });
  await expect(figure(page, 'held')).toContainText('Held2');
  await expect(figure(page, 'waiting')).toContainText('Waiting1');
  await expect(figure(page, 'waiting')).toContainText('1 timed out in last hour');
  await expect(figure(page, 'expired')).toContainText('Expired1');
  await expect(figure(page, 'expired')).toContainText('1 expired in last hour');
  await expect(figure(page, 'stuck')).toContainText('Stuck0');
  await expect(figure(page, 'grants')).toContainText(/Grants\d\.\d\/s28 in last hour/);
  await page.waitForTimeout(1_200);
  await mill.release({ name: 'sluice', token });
  expect(await served).toBe('granted');
  await expect(figure(page, 'wait-p99')).toContainText(/last hour: [1-9][\d.]*.s/, {
    timeout: 15_000,
  });

  await figure(page, 'expired').click();
  await expect(page).toHaveURL(/state=expired/);
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(lockRow(page, 'gate')).toBeVisible();
});

test('a lock with history has charts, and one without says for how long history is kept', async ({
  page,
}) => {
  await open(page, lockPath('default', 'sluice'));
  const charts = insights(page);
  for (const chart of ['wait', 'hold', 'grants']) {
    await expect(charts.locator(`[data-chart="${chart}"] svg.recharts-surface`)).toBeVisible();
  }
  await expect(
    charts.locator('[data-chart="hold"] path.recharts-area-curve, [data-chart="hold"] circle'),
  ).not.toHaveCount(0);
  const bars = charts.locator(
    '[data-chart="histogram Hold time distribution"] .recharts-bar-rectangle path',
  );
  await expect(bars).not.toHaveCount(0);
  await expect(charts.getByText('In the last hour: 2 grants')).toBeAttached();
  await charts.getByText('Show as table').click();
  const row = charts.getByRole('row').nth(1);
  await expect(row.getByRole('cell').first()).toHaveText(/^[12]$/);

  await charts.getByRole('button', { name: 'last 7 days' }).click();
  await expect(page).toHaveURL(/range=7d$/);
  await expect(charts.getByText('In the last 7 days: 2 grants')).toBeAttached();
  await page.reload();
  await expect(charts.getByRole('button', { name: 'last 7 days' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expect(charts.getByText('In the last 7 days: 2 grants')).toBeAttached();

  await openPage(page, `${server.url}${lockPath('default', 'never-taken')}`);
  await expect(charts).toContainText('No activity in the');
  await charts.getByRole('button', { name: 'View last 24 hours' }).click();
  await expect(page).toHaveURL(/range=24h$/);
});

test('time-outs and force releases are marked in the chart of abnormal ends', async ({ page }) => {
  await open(page, lockPath('default', 'weir'));
  const endings = insights(page).locator('[data-chart="endings"]');
  await expect(endings.getByText('Timeouts')).toBeVisible();
  await expect(endings.locator('.recharts-scatter-symbol')).toHaveCount(1);
});

test('a polled lock is stuck beyond that limit too, and its page names those refused', async ({
  page,
}) => {
  const place = { namespace: 'quick', name: 'scales' };
  const token = await take({ ...place, leaseMs: 600_000 });
  const skip = (owner: string) => mill.acquire({ ...place, owner, leaseMs: 60_000 });
  for (const owner of ['mill-2', 'mill-3', 'mill-2']) {
    expect((await skip(owner)).outcome).toBe('held');
  }
  await open(page, '/?q=scales');
  const row = lockRow(page, 'scales', 'quick');
  await expect(cell(row, 'state')).toContainText(/over 1.s limit, 3.attempts refused/);
  await page.setViewportSize({ width: 390, height: 844 });
  // Letters may extend beyond their line by a pixel or two, but no line is missing.
  const isWhole = ({ scrollHeight, clientHeight, scrollWidth, clientWidth }: HTMLElement) =>
    scrollHeight - clientHeight < 6 && scrollWidth <= clientWidth;
  const why = cell(row, 'state').locator('.row-reason');
  await expect.poll(() => why.evaluate(isWhole), { message: 'on a phone' }).toBe(true);
  await page.setViewportSize({ width: 1440, height: 900 });
  await cell(row, 'name').getByRole('link').click();
  const refused = page.getByRole('region', { name: 'Refused attempts' });
  await expect(refused).toContainText(/3.attempts of 2.owners refused, last/);
  await expect(refused.getByRole('listitem').first()).toContainText(/mill-2.*2 ×/);
  await mill.release({ ...place, token });
  await expect(reason(page)).not.toContainText('Stuck');
});

test('an incident says why and how long, is saved as one file, and is on the timeline too', async ({
  page,
}) => {
  const place = { namespace: 'quick', name: 'saw' };
  const token = await take({ ...place, leaseMs: 600_000 });
  const wait = { client: mill, namespace: 'quick', owner: 'mill-3', waitMs: 300_000 };
  const waiting = withLock('saw', wait, () => 'granted');
  await open(page, lockPath('quick', 'saw'));
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await expect(timeline.locator('[data-lane="waiter"]')).toHaveCount(1);
  const queuedBy = Date.now();
  await expect(timeline.locator('.timeline-hold[data-tone="stuck"]')).toBeVisible();

  await openPage(page, `${server.url}/insights`);
  const incidents = page.getByRole('region', { name: 'Incidents' });
  await incidents.getByRole('link', { name: 'saw' }).click({ timeout: 15_000 });
  await expect(page.getByRole('heading', { level: 1 })).toContainText('saw');
  await expect(page.locator('main')).toContainText(/held the lock for .+ with 1.waiter\./);
  await expect(page.getByRole('region', { name: 'What happened' })).toContainText('Incident began');
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden();
  const paper = await page.evaluate(() => document.documentElement.scrollHeight);
  const written = await page.getByRole('region', { name: 'What happened' }).boundingBox();
  expect((written?.y ?? 0) + (written?.height ?? 0)).toBeLessThanOrEqual(paper);
  await page.emulateMedia({ media: null });
  const plotOf = (name: string) => page.getByRole('figure', { name, exact: true });
  await expect(plotOf('Waits')).toContainText('blocking at most');
  await plotOf('Holds').locator('svg').hover();
  await expect(page.locator('.linked-cursor')).toHaveText(/^\d\d:\d\d:\d\d$/);
  await expect(plotOf('Waits')).toContainText(/blocking .*oldest/);
  await expect(plotOf('Holds')).toContainText(/held/);
  const keys = page.getByRole('slider', { name: 'Instant in the charts' });
  await keys.focus();
  await keys.press('ArrowLeft');
  await expect(keys).toHaveAttribute('aria-valuetext', /blocking .*refused so far/);
  const plot = await plotOf('Waits').locator('svg').boundingBox();
  if (!plot) throw new Error('The plot is not drawn.');
  const y = plot.y + plot.height / 2;
  await page.mouse.move(plot.x + plot.width * 0.4, y);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width * 0.9, y, { steps: 4 });
  await page.mouse.up();
  await page.getByRole('button', { name: 'Reset zoom' }).click();

  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export HTML' }).click(),
  ]);
  const html = readFileSync(await saved.path(), 'utf8');
  expect(html).toContain('<h1>saw</h1>');
  expect(html).not.toMatch(/<script|<link|src=/);

  const back = page.getByRole('link', { name: 'See the lock at that time' });
  const at = async () => {
    const href = (await back.getAttribute('href')) ?? '';
    return Number(new URL(href, server.url).searchParams.get('at'));
  };
  // A busy machine may have queued the waiter only after the incident had begun. The figures of an
  // incident are written every 10 s, and its page reads them every 5 s.
  await expect.poll(at, { timeout: 60_000 }).toBeGreaterThan(queuedBy);
  await back.click();
  const past = page.getByRole('region', { name: 'Looking back' });
  await expect(past).toContainText('As of');
  await expect(page.getByRole('region', { name: 'Queue' })).toContainText('mill-3');
  await expect(page.getByRole('region', { name: 'Events' })).toContainText('mill-3');
  await expect(page.getByRole('button', { name: 'Freeze' })).toHaveCount(0);
  const then = page.url();
  await openPage(page, `${server.url}/${new URL(then).search}&view=all`);
  const row = page.getByRole('grid', { name: 'Locks' }).getByRole('row', { name: 'saw' });
  await expect(cell(row, 'renewals')).toHaveText(/^\d+$/);
  await openPage(page, then);
  await past.getByRole('link', { name: 'Back to live' }).click();
  await expect(past).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Freeze' })).toBeVisible();
  await mill.release({ ...place, token });
  expect(await waiting).toBe('granted');
});

test('the page Backends has their response times of the last hour from its first paint', async ({
  page,
}) => {
  const words = /Latency, last hour: [^"]*ms to [^"]*ms/;
  const html = await (await page.request.get(`${server.url}/backends`)).text();
  expect(html.replaceAll('&nbsp;', ' ')).toMatch(words);
  await openPage(page, `${server.url}/backends`);
  const course = page.getByRole('figure', { name: words });
  await expect(course.locator('rect').first()).toBeAttached();
});

// The questions of an operator prove that a row compares a hold with its own p99.
test('a lock is stuck when far beyond its own p99, and says so in its row @long', async ({
  page,
}) => {
  // A process reads the baselines when it starts, and then once a minute.
  await server.restart();
  await open(page, '/?q=turbine');
  const row = lockRow(page, 'turbine');
  await take({ name: 'turbine', leaseMs: 600_000 });
  await expect(cell(row, 'held')).toContainText(/p99 hold \d+(\.\d)?.m?s/);
  await expect(cell(row, 'held')).toHaveAttribute('title', /Typical .* \(p99\) over 25 holds/);
  await expect(cell(row, 'state')).toContainText('Held');
  void waitFor(mill, { name: 'turbine', owner: 'mill-2', leaseMs: 60_000 });
  await expect(cell(row, 'state')).toContainText('Contended');
  await expect(cell(row, 'state')).toContainText(/Stuck[\d,]+.× p99, 1 waiting/, {
    timeout: 90_000,
  });
  await expect(cell(row, 'held').locator('.held-for')).toHaveCSS('font-weight', '600');
  await page.getByRole('link', { name: 'turbine' }).click();
  await expect(reason(page)).toContainText(/usually under \d+(\.\d)?.m?s\).* 1\swaiting\./);
});

test('only the page of a lock loads the code of charts, and is usable without it @long', async ({
  page,
}) => {
  const loaded: string[] = [];
  page.on('response', async (answer) => {
    if (!answer.url().endsWith('.js')) return;
    if ((await answer.text().catch(() => '')).includes('recharts-')) loaded.push(answer.url());
  });
  for (const address of ['/', '/namespaces', '/settings', '/audit', '/counters', '/backends']) {
    await page.goto(`${server.url}${address}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeAttached();
    await page.waitForTimeout(1_000);
  }
  expect(loaded).toEqual([]);
  await page.goto(`${server.url}${lockPath('default', 'weir')}`);
  await expect(insights(page).locator('svg.recharts-surface').first()).toBeVisible();
  await expect.poll(() => loaded.length).toBeGreaterThan(0);

  for (const url of loaded) await page.route(url, (route) => route.abort());
  await page.reload();
  await expect(insights(page)).toContainText('Could not load the charts');
  await expect(reason(page)).toContainText('Held');
  faults = () => [];
});
