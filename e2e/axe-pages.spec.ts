import { LONG_NAME, makeScene, onePage, press, type Scene } from './axe-scene';
import { expectFitting, expectNoViolation, expectSound } from './expect-sound';
import { lockRow, openLive, untilAlive } from './locks-page';
import { callConsole, expect, type Person, setUp, signIn, test } from './lockyard-test';
import { type RunningServer, startServer } from './start-server';

/** One server from its first start on: each test builds on the previous ones. */
test.describe.configure({ mode: 'serial' });
test.use({ baseURL: undefined });

/** Of a backend whose databases are away from the start. */
const shards = 'mysql://root@127.0.0.1:1/first,mysql://root@127.0.0.1:1/second';

let server: RunningServer;
let admin: Person;
let scene: Scene;
test.beforeAll(async () => {
  server = await startServer({ LOCKYARD_BACKEND_SPREAD: shards });
});
test.afterAll(() => server?.discard());

const { page, visit, forgive } = onePage(() => server);

async function open(address: string, who = admin): Promise<void> {
  await visit(address, who);
  await untilAlive(page());
}

test.describe('accessible, on any screen:', () => {
  test('the page that leads to the setup', async () => {
    await page().goto(`${server.url}/setup`);
    await expect(page().getByRole('heading', { level: 1 })).toHaveText(/Open the setup link/);
    await expectSound(page());
  });

  test('the setup, also with a complaint', async () => {
    await page().goto(server.setupLink ?? '');
    await untilAlive(page());
    await page()
      .getByLabel(/^Password/)
      .fill('one');
    await page().getByLabel('Confirm password').fill('another');
    await expect(page().getByText('The passwords do not match.')).toBeVisible();
    await expectSound(page());
    admin = await setUp(server);
  });

  test('the sign-in', async () => {
    await page().goto(`${server.url}/sign-in`);
    await expect(page().getByLabel('Name')).toBeFocused();
    await expectSound(page());
  });

  test('the empty list, before and after its first key', async () => {
    await open('/');
    await expectSound(page());
    await page().getByRole('button', { name: 'Create API key' }).click();
    await expect(page().getByText('You won’t see it again.')).toBeVisible();
    await expectSound(page());
  });

  test('the list of locks in every state', async () => {
    scene = await makeScene(server, admin);
    await openLive(page(), `${server.url}/?view=all`);
    await expect(lockRow(page(), 'lapsed')).toContainText('Expired');
    await expect(lockRow(page(), 'busy')).toContainText('Contended');
    await expectSound(page());
    await open('/?q=nothing-has-this-name&state=held');
    await expect(page().getByText('No locks match these filters.')).toBeVisible();
    await expectSound(page());
  });

  /** The short run has those with parts of their own; the list shows the colours of every state. */
  const pages = [['busy'], ['free', ' @long'], ['lapsed', ' @long'], ['frozen', ' @long']];
  for (const [name = '', tag = ''] of [...pages, ['shared'], [LONG_NAME]]) {
    test(`the page of a lock: ${name.slice(0, 20)}${tag}`, async () => {
      await openLive(page(), `${server.url}/locks/default/${encodeURIComponent(name)}`);
      await expect(page().getByRole('heading', { level: 1 })).toHaveText(name);
      await expect(page().getByRole('region', { name: 'Events' })).toContainText('Granted');
      await expect(page().locator('svg.recharts-surface').first()).toBeVisible();
      // It has the same parts as the first.
      await (name === LONG_NAME ? expectFitting : expectSound)(page());
    });
  }

  test('a stuck lock, in the list and on its page, with its charts as a table', async () => {
    await openLive(page(), `${server.url}/?namespace=team-blue`);
    await expect(lockRow(page(), 'jam', 'team-blue')).toContainText('Stuck');
    await expectSound(page());
    await page().setViewportSize({ width: 1440, height: 900 });
    await openLive(page(), `${server.url}/locks/team-blue/jam`);
    await expect(page().locator('main header').first()).toContainText('Stuck');
    for (const name of ['Timeline', 'Wait and hold times']) {
      const panel = page().getByRole('region', { name, exact: true });
      await panel.getByText('Show as table').click();
      await expect(panel.getByRole('cell').first()).toBeVisible();
    }
    await expectSound(page());
  });

  test('bars with the colours of the system instead of the page', async () => {
    await page().emulateMedia({ forcedColors: 'active' });
    try {
      await openLive(page(), `${server.url}/?view=all`);
      const bar = (name: string) => lockRow(page(), name).locator('.lease-bar');
      await expect(bar('lapsed')).toHaveCSS('border-top-style', 'dashed');
      await expect(bar('frozen')).toHaveCSS('border-top-style', 'solid');
      await openLive(page(), `${server.url}/locks/team-blue/jam`);
      const stuck = page().locator('.timeline-hold[data-tone="stuck"]').first();
      await expect(stuck).toHaveCSS('border-top-style', 'double');
      const chosen = page()
        .getByRole('region', { name: 'Timeline' })
        .locator('[aria-pressed=true]');
      await expect(chosen).toHaveCSS('outline-style', 'solid');
    } finally {
      await page().emulateMedia({ forcedColors: 'none' });
    }
  });

  test('a name without a lock', async () => {
    await open('/locks/default/never-taken?range=30d');
    await expect(page().getByText('No lock by this name is known').first()).toBeVisible();
    await expectSound(page());
  });

  const addresses: [string, string, string][] = [
    ['the audit log', '/audit', 'Every operator action'],
    ['an audit log without a match', '/audit?q=no-such-entry', 'No entries match'],
    ['all locks over time', '/insights', 'All locks'],
    ['an incident', '/insights/1', 'What happened'],
    ['the alerts', '/alerts', 'None: alerts are only shown on this page'],
    ['the backends', '/backends', 'SQLite, embedded'],
    ['one’s own account', '/settings', 'Change password'],
    ['the API keys', '/settings?section=keys', 'first-service'],
    ['the users', '/settings?section=people', 'Vera Viewer'],
    ['the namespaces', '/namespaces', 'team-blue'],
  ];
  for (const [what, address, words] of addresses) {
    test(what, async () => {
      await open(address);
      await expect(page().getByText(words).first()).toBeVisible();
      await expectSound(page());
    });
  }

  test('the pages of the past', async () => {
    const at = Date.now();
    for (const address of [
      '/?view=all&',
      '/locks/default/busy?',
      '/holders?',
      '/waits?',
      '/insights?',
      '/counters?',
    ]) {
      await open(`${address}at=${at}`);
      await expect(page().getByRole('link', { name: 'Back to live' })).toBeVisible();
      await expectNoViolation(page(), 1440);
    }
  });

  test('the shards of a backend, and where a name is although none of them responds', async () => {
    await callConsole(server, admin.cookie, 'namespaces.create', {
      name: 'spread',
      backend: 'spread',
    });
    await open('/backends/spread', scene.viewer);
    await expect(page().getByText('Backend disabled on this server')).toBeVisible();
    await page().getByLabel('Exact name').fill('invoices:7');
    await expect(page().getByText(/^127\.0\.0\.1:1\/(first|second)$/)).toHaveCount(4);
    await expectSound(page());
  });

  test('what a viewer is shown', async () => {
    await open('/locks/default/busy', scene.viewer);
    await expect(page().getByText('Requires operator role').first()).toBeVisible();
    await expectSound(page());
    await page().setViewportSize({ width: 390, height: 844 });
    await open('/locks/team-blue/jam', scene.viewer);
    const advice = page().getByRole('region', { name: 'Recommended' });
    await expect(advice).toBeVisible();
    await expect(advice.getByRole('link', { name: 'More…' })).toHaveCount(0);
    await expect(advice).toHaveCSS('position', 'static');
    await open('/settings?section=people', scene.viewer);
    await expect(page().getByText('Only admins can manage users')).toBeVisible();
    await expectSound(page());
  });

  test('the menus', async () => {
    await open('/?sort=name');
    await press(page(), 'state: any');
    await expect(page().getByRole('menu')).toBeVisible();
    await expectSound(page());
    await page().keyboard.press('Escape');
    await page().setViewportSize({ width: 1440, height: 900 });
    await press(page(), 'Account of ada');
    await expect(page().getByRole('menu')).toBeVisible();
    await expectSound(page());
    await page().keyboard.press('Escape');
    await page().setViewportSize({ width: 390, height: 844 });
    await press(page(), 'More');
    await expect(page().getByRole('menuitem', { name: 'Backends' })).toBeVisible();
    await expectNoViolation(page(), 390);
  });
});

test('pages whose server is unreachable are still usable', async () => {
  const lock = await page().context().newPage();
  await signIn(page().context(), server, admin);
  await openLive(page(), `${server.url}/`);
  await openLive(lock, `${server.url}/locks/default/busy`);
  forgive();
  await server.kill();
  for (const each of [page(), lock]) {
    await expect(each.getByText(/Connection lost\. Showing/)).toBeVisible();
    await expectSound(each);
  }
});
