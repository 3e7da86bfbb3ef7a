import { expectSound } from './expect-sound';
import { lockRow, openLive, openPage } from './locks-page';
import {
  callConsole,
  createPerson,
  createService,
  expect,
  setUp,
  signIn,
  test,
} from './lockyard-test';
import { startServer } from './start-server';

const POLICY = {
  leaseMinMs: 100,
  leaseMaxMs: 86_400_000,
  patienceMaxMs: 600_000,
  queueLimit: 200,
  lockDelayMs: 0,
  requiredMeta: [],
};

/** Long enough that no answer about a lock is stored any more. */
const LATER_MS = 2 * 60 * 60_000;

/** Loaded before a server: SIGUSR2 puts its clock ahead, and the server says so. */
const CLOCK = `const real = Date.now; let ahead = 0;
  process.on('SIGUSR2', () => { ahead += ${LATER_MS}; console.log('It is later.'); });
  Date.now = () => real() + ahead;`;

test('an operator sees what a deletion would keep and why, and a viewer is not offered it', async ({
  browser,
  server,
  admin,
}) => {
  const name = 'packed';
  const policy = { ...POLICY, maxLocks: 3 };
  await callConsole(server, admin.cookie, 'namespaces.create', { name, policy });
  const service = await createService(server, admin, 'packer', [name]);
  const owner = 'packer-1';
  for (const lock of ['job:1', 'job:2', 'job:3']) {
    const hold = { namespace: name, name: lock, owner };
    const answer = await service.acquire({ ...hold, leaseMs: 600_000 });
    if (answer.outcome !== 'granted') throw new Error('No other team wants it.');
    if (lock !== 'job:3') await service.release({ ...hold, token: answer.token });
  }
  await expect(
    service.acquire({ namespace: name, name: 'job:4', owner, leaseMs: 1_000 }),
  ).rejects.toMatchObject({ reason: 'NAMESPACE_FULL' });

  const olga = await createPerson(server, admin, 'operator', 'olga-deletes');
  const vera = await createPerson(server, admin, 'viewer', 'vera-looks');
  const seen = await browser.newContext({ reducedMotion: 'reduce' });
  await signIn(seen, server, olga);
  const page = await seen.newPage();
  await openLive(page, `${server.url}/?namespace=${name}`);
  await expect(page.getByText('3 of 3 locks and counters used')).toBeVisible();
  // It is in the first paint, and pushes nothing down later.
  const firstPaint = await page.request.get(page.url());
  expect(await firstPaint.text()).toContain(' locks and counters used');
  await page.getByRole('button', { name: 'Delete free locks…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await dialog.getByRole('textbox', { name: /^Prefix/ }).fill('job:');
  await expect(dialog.getByText('0 of 3 locks can be deleted.')).toBeVisible();
  await expect(dialog.getByText(/2 kept: a new lock could repeat its tokens/)).toBeVisible();
  await expect(dialog.getByText(/1 kept: held/)).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Delete locks' })).toBeDisabled();
  await expectSound(page, '[role="dialog"]');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await openPage(page, `${server.url}/namespaces`);
  await expect(page.getByText('full: 3 of 3 names')).toBeVisible();
  await seen.close();
  const roomier = {
    name,
    policy: { ...POLICY, maxLocks: 1_000 },
    reason: 'others share the server',
  };
  await callConsole(server, admin.cookie, 'namespaces.setPolicy', roomier);
  const context = await browser.newContext();
  await signIn(context, server, vera);
  const other = await context.newPage();
  await openLive(other, `${server.url}/?namespace=${name}`);
  await expect(lockRow(other, 'job:1', name)).toBeVisible();
  await expect(other.getByRole('button', { name: /^Delete/ })).toHaveCount(0);
  await expect(other.getByRole('checkbox')).toHaveCount(0);
  await context.close();
});

test('an operator deletes selected free locks and counters, one namespace at a time', async ({
  browser,
}) => {
  const clock = `--import=data:text/javascript,${encodeURIComponent(CLOCK)}`;
  const server = await startServer({ NODE_OPTIONS: clock });
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  try {
    const admin = await setUp(server);
    await callConsole(server, admin.cookie, 'namespaces.create', { name: 'jobs' });
    const service = await createService(server, admin, 'packer', ['default', 'jobs']);
    const use = async (name: string, namespace = 'default') => {
      const answer = await service.acquire({ namespace, name, leaseMs: 1_000 });
      if (answer.outcome !== 'granted') throw new Error('No other team wants it.');
      await service.release({ namespace, name, token: answer.token });
    };
    for (const name of ['old:1', 'old:2', 'old:3']) await use(name);
    await use('old:4', 'jobs');
    for (const name of ['seats', 'tickets']) await service.createCounter({ name });
    const { name, password } = await createPerson(server, admin, 'operator', 'olga');
    process.kill(server.pid, 'SIGUSR2');
    await expect.poll(() => server.output()).toContain('It is later.');
    await service.acquire({ name: 'old:0', leaseMs: 600_000 });
    const { cookie } = await callConsole(server, '', 'session.signIn', { name, password });
    await signIn(context, server, { name, password, role: 'operator', cookie });

    const page = await context.newPage();
    await openLive(page, `${server.url}/?view=all&sort=name`);
    const box = (lock: string) => page.getByRole('checkbox', { name: `Select ${lock}` });
    const bar = page.getByRole('region', { name: 'Selection' });
    const dialog = page.getByRole('dialog');
    await expect(lockRow(page, 'old:0')).toBeVisible();
    await box('old:1').click();
    await box('old:3').click({ modifiers: ['Shift'] });
    await expect(bar).toContainText('3 selected');
    await expect(lockRow(page, 'old:2')).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('k');
    await expect(lockRow(page, 'old:2')).toBeFocused();
    await page.keyboard.press('x');
    await expect(bar).toContainText('2 selected');
    const all = page.getByRole('checkbox', { name: 'Select the loaded locks' });
    await all.click();
    await expect(all).toBeChecked();
    await expect(bar).toContainText('5 selected in 2 namespaces');
    await expectSound(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(box('old:1')).toBeInViewport();
    await page.getByRole('searchbox').fill('old:1');
    await expect(lockRow(page, 'old:2')).toHaveCount(0);
    await expect(bar).toContainText('5 selected');

    await bar.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('menuitem', { name: /^default/ }).click();
    await expect(dialog.getByRole('textbox', { name: /^Names/ })).toHaveValue(
      'old:0\nold:1\nold:2\nold:3',
    );
    await expect(dialog.getByText('3 of 4 locks can be deleted')).toBeVisible();
    await expect(dialog.getByText('1 kept: held (old:0)')).toBeVisible();
    await dialog.getByLabel(/^Number to delete/).fill('3');
    await dialog.getByLabel(/^Reason/).fill('names of a test run');
    await dialog.getByRole('button', { name: 'Delete 3 locks' }).click();
    await expect(dialog.getByRole('status')).toContainText('3 locks deleted.');
    await expect(dialog.getByRole('status')).toContainText('old:0: kept: held');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(bar).toContainText('2 selected');
    await page.getByRole('searchbox').fill('old:');
    await expect(lockRow(page, 'old:4', 'jobs')).toBeVisible();
    await expect(lockRow(page, 'old:1')).toHaveCount(0);
    await bar.getByRole('button', { name: 'Clear' }).click();
    await expect(bar).toHaveCount(0);

    await openPage(page, `${server.url}/counters`);
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await bar.getByRole('button', { name: 'All', exact: true }).click();
    await expect(box('seats')).toBeChecked();
    await page.keyboard.press('Delete');
    await expect(dialog.getByText('2 of 2 counters can be deleted')).toBeVisible();

    // The dialog stays open after the lock is deleted, and shows the result.
    await openPage(page, `${server.url}/locks/jobs/old:4`);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await expect(dialog.getByText('1 of 1 lock can be deleted')).toBeVisible();
    await dialog.getByLabel(/^Number to delete/).fill('1');
    await dialog.getByLabel(/^Reason/).fill('a name of a test run');
    await dialog.getByRole('button', { name: 'Delete 1 lock' }).click();
    await expect(dialog.getByRole('status')).toContainText('1 lock deleted.');
    await expect(page.getByText('Not found')).toBeVisible();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(page.getByRole('button', { name: 'Delete…' })).toHaveCount(0);

    // It also does so if the lock is acquired meanwhile.
    await use('old:5');
    await openPage(page, `${server.url}/locks/default/old:5`);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await expect(dialog.getByText('0 of 1 lock can be deleted')).toBeVisible();
    await service.acquire({ name: 'old:5', leaseMs: 600_000 });
    await expect(dialog.getByText(/1 kept: held/)).toBeVisible();
  } finally {
    await context.close();
    await server.discard();
  }
});
