import type { Locator, Page } from 'playwright/test';
import type { LockyardClient } from '../client/lockyard';
import { expectSound } from './expect-sound';
import { cell, lockRow, openLive } from './locks-page';
import {
  callConsole,
  createPerson,
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

// The questions that someone asks who is called at night, in their order. Each answer is looked for
// from the first page on, by clicks that are counted.

test.describe.configure({ mode: 'serial' });
test.use({ baseURL: undefined });

const LEASE = { leaseMs: 120_000 };
/** Held by a process that keeps renewing, and waited for by two. */
const RUN = { namespace: 'night', name: 'payroll:november' };
const META = { host: 'host-4', pid: '812', version: '7.0.2' };

let server: RunningServer;
let page: Page;
let opal: Person;
let mill: LockyardClient;
let token: number;
let renewing: NodeJS.Timeout;
let faults: () => string[] = () => [];
let clicks = 0;

test.beforeAll(async ({ browser }) => {
  server = await startServer();
  const admin = await setUp(server);
  const policy = {
    ...{ leaseMinMs: 100, leaseMaxMs: 600_000, patienceMaxMs: 600_000, queueLimit: 10 },
    ...{ lockDelayMs: 0, requiredMeta: [], stuckAfterMs: 1_000 },
  };
  await callConsole(server, admin.cookie, 'namespaces.create', { name: 'night', policy });
  opal = await createPerson(server, admin, 'operator', 'Opal Operator');
  const services = ['mill', 'pay', 'ledger', 'root', 'link', 'victim'];
  const [first, ...others] = await Promise.all(
    services.map((name) => createService(server, admin, name, ['default', 'night'])),
  );
  mill = first as LockyardClient;
  for (let i = 0; i < 25; i += 1) await mill.release({ ...RUN, token: await take(mill, RUN) });
  await untilCounted(admin, 25);
  // A process reads the baselines when it starts.
  await server.restart();
  token = await take(mill, { ...RUN, meta: META });
  renewing = setInterval(() => void mill.renew({ ...RUN, token, ...LEASE }).catch(() => {}), 1_000);
  for (const owner of ['mill-2', 'mill-3']) {
    void waitFor(mill, { ...LEASE, ...RUN, owner });
    await expect
      .poll(async () => (await mill.inspect(RUN)).waiters.map((each) => each.owner))
      .toContain(owner);
  }
  const [pay, ledger, root, link, victim] = others as [
    LockyardClient,
    LockyardClient,
    LockyardClient,
    LockyardClient,
    LockyardClient,
  ];
  await take(pay, { name: 'account:1' });
  await take(ledger, { name: 'account:2' });
  await take(root, { name: 'invoice-run' });
  await take(link, { name: 'mail-run' });
  void waitFor(pay, { ...LEASE, name: 'account:2' });
  void waitFor(ledger, { ...LEASE, name: 'account:1' });
  void waitFor(link, { ...LEASE, name: 'invoice-run' });
  void waitFor(victim, { ...LEASE, name: 'mail-run' });

  const context = await browser.newContext({ baseURL: server.url });
  await signIn(context, server, admin);
  page = await context.newPage();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  faults = await guardPage(page, server.url);
});
test.afterAll(async () => {
  clearInterval(renewing);
  await page?.context().close();
  await server?.discard();
});
test.beforeEach(async () => {
  clicks = 0;
  await openLive(page, `${server.url}/`);
});
test.afterEach(() => expect(faults()).toEqual([]));

type Ask = Parameters<LockyardClient['acquire']>[0];

async function take(client: LockyardClient, ask: Partial<Ask> & { name: string }): Promise<number> {
  const answer = await client.acquire({ ...LEASE, ...ask });
  if (answer.outcome !== 'granted') throw new Error(answer.outcome);
  return answer.token;
}

/** Waits until the roll-ups have so many grants. */
async function untilCounted({ cookie }: Person, grants: number): Promise<void> {
  const counted = async () => {
    const reply = await fetch(`${server.url}/api/trpc/insights.fleet`, {
      headers: { Cookie: cookie },
    });
    return (await reply.json()).result?.data?.hour?.grants;
  };
  await expect.poll(counted).toBe(grants);
}

const row = () => lockRow(page, RUN.name, RUN.namespace);

async function click(what: Locator): Promise<void> {
  clicks += 1;
  await what.click();
}

async function openLock(): Promise<void> {
  await click(cell(row(), 'name').getByRole('link'));
  // The list has acts of the same names, and goes only when the page is there.
  await expect(page.getByRole('heading', { level: 1, name: RUN.name })).toBeVisible();
}

const region = (name: string) => page.getByRole('region', { name });

test('1. What is stuck right now? The first page says so, and why', async () => {
  await expect(cell(row(), 'state')).toContainText('Stuck');
  await expect(cell(row(), 'state')).toContainText(/over .+, 2 waiting/);
  await expect(page.locator('[data-figure="stuck"]')).toContainText('Stuck1');
  expect(clicks).toBe(0);
});

test('2. Who holds it, and is that process alive? One click', async () => {
  await expect(cell(row(), 'owner')).toContainText('mill-1');
  await click(cell(row(), 'held'));
  const holder = page
    .getByRole('complementary', { name: 'Lock preview' })
    .getByRole('region', { name: 'Holder' });
  await expect(holder).toContainText('host-4');
  await expect(holder).toContainText('812');
  await expect(holder).toContainText(/renewed (just now|\d+.s ago)/);
  expect(clicks).toBe(1);
});

test('3. Since when, and is that normal? The row compares it with its own p99', async () => {
  // Read when a process starts, and then once a minute.
  await expect(cell(row(), 'held')).toContainText(/\d.*p99 hold \d+(\.\d)?.m?s/, {
    timeout: 90_000,
  });
  await expect(cell(row(), 'held')).toHaveAttribute('title', /Typical .* \(p99\) over 2\d holds/);
  expect(clicks).toBe(0);
});

test('4. Who waits, and how bad will it get? One click shows the queue', async () => {
  await expect(cell(row(), 'waiters')).toContainText('2');
  await openLock();
  await expect(region('Queue')).toContainText(/mill-2.*mill-3/);
  expect(clicks).toBe(1);
});

test('5. Cause or affected? One click for deadlock and head blocker, one for causes', async () => {
  await click(page.getByRole('link', { name: 'Waits' }));
  const heads = region('Head blockers').getByRole('listitem');
  const deadlock = heads.filter({ hasText: 'Deadlock' });
  await expect(deadlock).toContainText('pay-1');
  await expect(deadlock).toContainText('ledger-1');
  await expect(heads.filter({ hasText: 'root-1' }).first()).toContainText('2 callers');
  await expect(region('Wait-for graph').getByRole('link', { name: 'mail-run' })).toBeVisible();
  // Not needed for the answer: the button that ends the deadlock is on the line best broken.
  await region('Wait-for graph').getByRole('button', { name: 'Break here' }).click();
  await expect(page.getByRole('dialog')).toContainText(/pay-1|ledger-1/);
  await page.getByRole('button', { name: 'Cancel' }).click();
  const release = deadlock.getByRole('button', { name: 'Force release…' });
  await release.press('Enter');
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(release).toBeFocused();
  await click(page.getByText('List', { exact: true }));
  const victim = page.getByRole('row').filter({ hasText: 'victim-1' });
  await expect(victim.getByRole('cell').nth(3)).toContainText('link-1');
  await expect(victim.getByRole('cell').nth(4)).toContainText('root-1');
  await expect(region('Deadlocks')).toContainText('not yet');
  expect(clicks).toBe(2);
  await expectSound(page);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('6. Will it free itself, and when? One click', async () => {
  await openLock();
  await expect(page.locator('main header').first()).toContainText('the lock will not free itself');
  await expect(region('Holder')).toContainText(/due in .+ · \d+ so far/);
  await expect(region('Actions')).toContainText(/frees in 0\d:\d\d/);
  expect(clicks).toBe(1);
});

test('7. What happens if I release it? One click', async () => {
  await openLock();
  const impact = region('Impact of release');
  await expect(impact).toContainText(/Granted to mill-2.*1 still waiting/);
  await expect(impact).toContainText('The holder is not stopped.');
  await expect(impact).toContainText('resources that check it reject tokens below');
  const bound = impact.locator('span.font-mono[title]');
  const whole = (await bound.getAttribute('title')) ?? '';
  await expect(bound).toHaveText(`…${whole.slice(-4)}`);
  expect(clicks).toBe(1);
});

test('8. What is the gentlest thing I can do? One click shows it, another opens it', async () => {
  await openLock();
  const recommended = region('Recommended');
  await expect(recommended).toContainText('Ask to release');
  await expect(recommended).toContainText('nothing is interrupted');
  const steps = region('Actions').getByRole('heading');
  await expect(steps).toHaveText([/Ask/, /Block renewals/, /Extend/, /Force release/, /Reassign/]);
  await click(recommended.getByRole('button', { name: 'Ask to release…' }));
  const dialog = page.getByRole('dialog', { name: 'Ask mill-1 to release?' });
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Escape');
  expect(clicks).toBe(2);
});

test('what is below a recommended action in a preview does not move when it appears', async () => {
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const details = /locks\.watchDetail/;
  await page.route(details, (route) => held.then(() => route.continue()));
  await cell(row(), 'held').click();
  const below = page.getByRole('button', { name: 'Show timeline' });
  const before = await below.boundingBox();
  await expect(region('Recommended')).toHaveCount(0);
  goOn();
  await expect(region('Recommended')).toContainText('Ask to release');
  expect((await below.boundingBox())?.y).toBe(before?.y);
  await page.unroute(details);
});

test('9. Has anyone acted on it already? The row says so; one click says who and why', async () => {
  const act = { ...RUN, token, rev: 0, reason: 'its upstream hangs' };
  await callConsole(server, opal.cookie, 'locks.askRelease', act);
  await expect(cell(row(), 'state')).toContainText('asked');
  await openLock();
  const event = region('Events').getByRole('listitem').filter({ hasText: 'its upstream hangs' });
  await expect(event.first()).toContainText('Opal Operator');
  expect(clicks).toBe(1);
});

test('10. Did it work? Two clicks with the confirmation; the row shows the result', async () => {
  await row().hover();
  await click(row().getByRole('button', { name: 'Force release…' }));
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('payday is tomorrow');
  await dialog.getByLabel(/^Type the lock name/).fill(RUN.name);
  await click(dialog.getByRole('button', { name: 'Force release and grant to mill-2' }));
  await expect(cell(row(), 'state')).toContainText('released to mill-2');
  await expect(cell(row(), 'owner')).toContainText('mill-2');
  await expect(cell(row(), 'waiters')).toContainText(/^1/);
  expect(clicks).toBe(2);
});
