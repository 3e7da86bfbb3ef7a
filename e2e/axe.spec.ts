import type { Page } from 'playwright/test';
import { LockyardClient } from '../client/lockyard';
import { expectNoViolation, expectSound } from './expect-sound';
import { lockRow, openLive, openPage } from './locks-page';
import {
  callConsole,
  createKey,
  createPerson,
  expect,
  type Person,
  refusalOf,
  setUp,
  signIn,
  test,
} from './lockyard-test';
import { guardPage } from './page-guard';
import { type RunningServer, startServer } from './start-server';

/** One server from its first start on: each test finds what those before it have made. */
test.describe.configure({ mode: 'serial' });
test.use({ baseURL: undefined });

const longName = `a-very-long-name:${'segment/'.repeat(22)}end`;

/** Of a backend whose databases are away from the start. */
const shards = 'mysql://root@127.0.0.1:1/first,mysql://root@127.0.0.1:1/second';

let server: RunningServer;
let admin: Person;
let viewer: Person;
let orders: LockyardClient;
test.beforeAll(async () => {
  server = await startServer({ LOCKYARD_BACKEND_SPREAD: shards });
});
test.afterAll(() => server?.discard());

let faults: () => string[] = () => [];
test.beforeEach(async ({ page }) => {
  faults = await guardPage(page, server.url);
  await page.emulateMedia({ reducedMotion: 'reduce' });
});
test.afterEach(() => expect(faults()).toEqual([]));

async function open(page: Page, address: string, who: Person = admin): Promise<void> {
  await signIn(page.context(), server, who);
  await openPage(page, `${server.url}${address}`);
}

test.describe('everybody can use, on any screen,', () => {
  test('the way to the setup', async ({ page }) => {
    await openPage(page, `${server.url}/setup`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(/Open the setup link/);
    await expectSound(page);
  });

  test('the setup, also with a complaint', async ({ page }) => {
    await openPage(page, server.setupLink ?? '');
    await page.getByLabel(/^Password/).fill('one');
    await page.getByLabel('Confirm password').fill('another');
    await expect(page.getByText('The passwords do not match.')).toBeVisible();
    await expectSound(page);
    admin = await setUp(server);
  });

  test('the sign-in', async ({ page }) => {
    await openPage(page, `${server.url}/sign-in`);
    await expect(page.getByLabel('Name')).toBeFocused();
    await expectSound(page);
  });

  test('the empty list, before and after its first key', async ({ page }) => {
    await open(page, '/');
    await expectSound(page);
    await page.getByRole('button', { name: 'Create API key' }).click();
    await expect(page.getByText('You won’t see it again.')).toBeVisible();
    await expectSound(page);
  });

  test('the list of locks in every state', async ({ page }) => {
    await fill();
    await signIn(page.context(), server, admin);
    await openLive(page, `${server.url}/?view=all`);
    await expect(lockRow(page, 'lapsed')).toContainText('Expired');
    await expect(lockRow(page, 'busy')).toContainText('Contended');
    await expectSound(page);
    await openPage(page, `${server.url}/?q=nothing-has-this-name&state=held`);
    await expect(page.getByText('No locks match these filters.')).toBeVisible();
    await expectSound(page);
  });

  for (const name of ['busy', 'free', 'lapsed', 'frozen', 'shared', longName]) {
    test(`the page of a lock: ${name.slice(0, 20)}`, async ({ page }) => {
      await signIn(page.context(), server, admin);
      await openLive(page, `${server.url}/locks/default/${encodeURIComponent(name)}`);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
      await expect(page.getByRole('region', { name: 'Events' })).toContainText('Granted');
      await expect(page.locator('svg.recharts-surface').first()).toBeVisible();
      await expectSound(page);
    });
  }

  test('a stuck lock, in the list and on its page, with its charts as a table', async ({
    page,
  }) => {
    await signIn(page.context(), server, admin);
    await openLive(page, `${server.url}/?namespace=team-blue`);
    await expect(lockRow(page, 'jam', 'team-blue')).toContainText('Stuck');
    await expectSound(page);
    await openLive(page, `${server.url}/locks/team-blue/jam`);
    await expect(page.locator('main header').first()).toContainText('Stuck');
    for (const name of ['Timeline', 'Wait and hold times']) {
      const panel = page.getByRole('region', { name, exact: true });
      await panel.getByText('Show as table').click();
      await expect(panel.getByRole('cell').first()).toBeVisible();
    }
    await expectSound(page);
  });

  test('a lock without a past', async ({ page }) => {
    await open(page, '/locks/default/never-taken?range=30d');
    await expect(page.getByText('No activity in the')).toBeVisible();
    await expectSound(page);
  });

  const addresses: [string, string, string][] = [
    ['the audit log', '/audit', 'Every operator action'],
    ['an audit log without a match', '/audit?q=no-such-entry', 'No entries match'],
    ['all locks over time', '/insights', 'All locks'],
    ['an incident', '/insights/1', 'What happened'],
    ['the backends', '/backends', 'SQLite, embedded'],
    ['one’s own account', '/settings', 'Change password'],
    ['the API keys', '/settings?section=keys', 'first-service'],
    ['the users', '/settings?section=people', 'Vera Viewer'],
    ['the namespaces', '/namespaces', 'team-blue'],
  ];
  for (const [what, address, words] of addresses) {
    test(what, async ({ page }) => {
      await open(page, address);
      await expect(page.getByText(words).first()).toBeVisible();
      await expectSound(page);
    });
  }

  test('the shards of a backend, and where a name lives though none of them answers', async ({
    page,
  }) => {
    await callConsole(server, admin.cookie, 'namespaces.create', {
      name: 'spread',
      backend: 'spread',
    });
    await open(page, '/backends/spread', viewer);
    await expect(page.getByText('Backend disabled on this server')).toBeVisible();
    await page.getByLabel('Exact name').fill('invoices:7');
    await expect(page.getByText(/^127\.0\.0\.1:1\/(first|second)$/)).toHaveCount(4);
    await expectSound(page);
  });

  test('what a viewer is shown', async ({ page }) => {
    await open(page, '/locks/default/busy', viewer);
    await expect(page.getByText('Requires operator role').first()).toBeVisible();
    await expectSound(page);
    await openPage(page, `${server.url}/settings?section=people`);
    await expect(page.getByText('Only admins can manage users')).toBeVisible();
    await expectSound(page);
  });

  const dialogs: [string, string, (page: Page) => Promise<void>][] = [
    ['release', '/locks/default/busy', (page) => press(page, 'Release…')],
    ['extend', '/locks/default/busy', (page) => press(page, 'Extend…')],
    ['ask', '/locks/default/busy', (page) => press(page, 'Ask…')],
    ['freeze', '/locks/default/busy', (page) => press(page, 'Freeze…')],
    ['unfreeze', '/locks/default/frozen', (page) => press(page, 'Unfreeze…')],
    ['a policy', '/namespaces', changePolicy],
    ['a new key', '/settings?section=keys', (page) => press(page, 'New key…')],
    ['revoke', '/settings?section=keys', (page) => press(page, 'Revoke…')],
    ['a new user', '/settings?section=people', (page) => press(page, 'Add user…')],
    ['a new namespace', '/namespaces', newNamespace],
    ['keyboard shortcuts', '/', (page) => page.keyboard.press('?')],
  ];
  for (const [what, address, act] of dialogs) {
    test(`the dialog: ${what}`, async ({ page }) => {
      await open(page, address);
      await act(page);
      await expect(page.getByRole('dialog')).toBeVisible();
      await expectSound(page);
    });
  }

  test('the dialog: the lock has changed hands', async ({ page }) => {
    const name = 'changing';
    const token = await take(name, 'first');
    await open(page, `/locks/default/${name}`);
    await press(page, 'Release…');
    await orders.release({ name, owner: 'first', token });
    await take(name, 'second');
    await expect(page.getByRole('button', { name: 'Use current state' })).toBeVisible();
    await expectSound(page);
  });

  test('the menus', async ({ page }) => {
    await open(page, '/?sort=name');
    await press(page, 'state: any');
    await expect(page.getByRole('menu')).toBeVisible();
    await expectSound(page);
    await page.keyboard.press('Escape');
    await press(page, 'Account of ada');
    await expect(page.getByRole('menu')).toBeVisible();
    await expectSound(page);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 390, height: 844 });
    await press(page, 'More');
    await expect(page.getByRole('menuitem', { name: 'Backends' })).toBeVisible();
    await expectNoViolation(page, 390);
  });
});

test('pages whose server is gone stay as usable', async ({ page, context }) => {
  const lock = await context.newPage();
  await lock.emulateMedia({ reducedMotion: 'reduce' });
  await signIn(context, server, admin);
  await openLive(page, `${server.url}/`);
  await openLive(lock, `${server.url}/locks/default/busy`);
  await server.kill();
  for (const each of [page, lock]) {
    await expect(each.getByText(/Connection lost\. Showing/)).toBeVisible();
    await expectSound(each);
  }
  faults = () => [];
});

async function changePolicy(page: Page): Promise<void> {
  await press(page, 'Edit policy of team-blue');
  await page.getByText('Custom').click();
}

async function newNamespace(page: Page): Promise<void> {
  await press(page, 'New namespace…');
  await page.getByText('Custom').click();
}

const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click();

async function take(name: string, owner = 'orders-1', leaseMs = 600_000): Promise<number> {
  const answer = await orders.acquire({ name, owner, leaseMs });
  if (answer.outcome !== 'granted') throw new Error(answer.outcome);
  return answer.token;
}

const policy = {
  leaseMinMs: 100,
  leaseMaxMs: 600_000,
  patienceMaxMs: 600_000,
  queueLimit: 50,
  lockDelayMs: 10_000,
  requiredMeta: [],
  stuckAfterMs: 1_000,
};

/** Locks in every state, and something to see on every page. */
async function fill(): Promise<void> {
  const { cookie } = admin;
  await callConsole(server, cookie, 'namespaces.create', { name: 'team-blue', policy });
  viewer = await createPerson(server, admin, 'viewer', 'Vera Viewer');
  const apiKey = await createKey(server, admin, 'orders', ['default', 'team-blue']);
  orders = new LockyardClient({ url: server.url, apiKey, owner: 'orders-1' });
  const token = await take('busy');
  await orders.renew({ name: 'busy', token, leaseMs: 600_000 });
  for (const owner of ['w1', 'w2', 'a-waiter-with-a-rather-long-name-of-its-own:worker-17']) {
    const ask = { name: 'busy', owner, leaseMs: 60_000, waitMs: 600_000, requestId: owner };
    void keepWaiting(ask);
  }
  await orders.release({ name: 'free', token: await take('free') });
  await take('lapsed', 'orders-9', 200);
  for (const name of [longName, 'job ', '<img>', 'بيع:1']) await take(name);
  const frozen = { namespace: 'default', name: 'frozen', rev: 0, reason: 'a repair of the ledger' };
  await take('frozen');
  await callConsole(server, cookie, 'locks.freeze', frozen);
  for (const owner of ['reader-1', 'reader-2', 'reader-3']) {
    await orders.acquire({ name: 'shared', owner, leaseMs: 600_000, mode: 'shared' });
  }
  await orders.acquire({ namespace: 'team-blue', name: 'busy', leaseMs: 600_000 });
  const jam = { namespace: 'team-blue', name: 'jam', leaseMs: 600_000 };
  await orders.acquire({ ...jam, owner: 'orders-7' });
  void keepWaiting({ ...jam, owner: 'orders-8', waitMs: 600_000, requestId: 'jam' });
  const act = { namespace: 'default', name: 'busy', token, rev: 0, reason: 'out of curiosity' };
  await refusalOf(server, viewer.cookie, 'locks.forceRelease', act);
  await callConsole(server, cookie, 'locks.extend', { ...act, extendMs: 60_000 });
}

async function keepWaiting(ask: Parameters<LockyardClient['acquire']>[0]): Promise<void> {
  let outcome = 'queued';
  while (outcome === 'queued') {
    outcome = await orders.acquire(ask).then(
      (answer) => answer.outcome,
      () => 'gone',
    );
  }
}
