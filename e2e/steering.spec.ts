import type { Page } from 'playwright/test';
import { type LockyardClient, withLock } from '../client/lockyard';
import { lockPath } from '../server/core/paths/console-path';
import { cell, lockRow, openLive, openPage } from './locks-page';
import {
  callConsole,
  createPerson,
  createService,
  expect,
  type Person,
  signIn,
  test,
  waitFor,
} from './lockyard-test';

let operator: Person;
let imports: LockyardClient;
let reports: LockyardClient;
test.beforeAll(async ({ server, admin }) => {
  operator = await createPerson(server, admin, 'operator', 'Stella Steward');
  await callConsole(server, admin.cookie, 'namespaces.create', { name: 'money' });
  imports = await createService(server, admin, 'imports', ['default', 'money']);
  reports = await createService(server, admin, 'reports');
});
test.beforeEach(({ context, server }) => signIn(context, server, operator));

const dialog = (page: Page) => page.getByRole('dialog');
const header = (page: Page) => page.locator('main header').first();
const reason = (page: Page, text: string) =>
  dialog(page)
    .getByLabel(/^Reason/)
    .fill(text);
const act = (page: Page, name: string) => dialog(page).getByRole('button', { name }).click();
const pageOf = (name: string) => lockPath('default', name);

test('a frozen lock grants nothing, says who froze it and why, and resumes with its queue', async ({
  page,
}) => {
  const name = 'ledger';
  const hold = await imports.acquire({ name, leaseMs: 60_000 });
  await openLive(page, pageOf(name));
  await page.getByRole('button', { name: 'Freeze…' }).click();
  await expect(dialog(page)).toHaveAccessibleName('Freeze this lock?');
  await expect(dialog(page).getByRole('button', { name: 'Freeze this lock' })).toBeDisabled();
  await reason(page, 'the ledger is being repaired');
  await act(page, 'Freeze this lock');
  await expect(header(page)).toContainText(
    /Frozen by Stella Steward (just now|\d+\ss ago): “the ledger is being repaired”/,
  );
  expect(await reports.acquire({ name, leaseMs: 60_000 })).toEqual({
    outcome: 'frozen',
    reason: 'the ledger is being repaired',
  });
  const waiting = waitFor(reports, { name, leaseMs: 60_000 });
  const token = hold.outcome === 'granted' ? hold.token : 0;
  await imports.release({ name, token });
  await expect(page.getByRole('region', { name: 'Queue' })).toContainText('reports-1');
  await page.getByRole('button', { name: 'Unfreeze…' }).click();
  await reason(page, 'it is repaired');
  await act(page, 'Unfreeze this lock');
  expect(await waiting).toBe('granted');
  const events = page.getByRole('region', { name: 'Events' });
  await expect(events).toContainText('by Stella Steward: “it is repaired”');
  await openPage(page, `/audit?q=${name}`);
  const froze = page.getByText('Froze lock', { exact: true });
  await expect(page.getByRole('row').filter({ has: froze })).toContainText('Done');
});

test('a lock that was released and is still held says so, and can only be freed by force', async ({
  page,
}) => {
  const name = 'nightly-job';
  const hold = await imports.acquire({ name, leaseMs: 600_000, holdAtLeastMs: 600_000 });
  const token = hold.outcome === 'granted' ? hold.token : 0;
  const waiting = waitFor(reports, { name, leaseMs: 60_000 });
  expect(await imports.release({ name, token })).toMatchObject({ outcome: 'released' });
  await openLive(page, '/?view=all');
  await expect(cell(lockRow(page, name), 'state')).toContainText('released, frees in');
  await openLive(page, pageOf(name));
  await expect(header(page)).toContainText(/still held for its minimum time: .* 1\swaiting\./);
  const holder = page.getByRole('region', { name: 'Holder' });
  await expect(holder).toContainText(/Released\d.*, held until \d/);
  const actions = page.getByRole('region', { name: 'Actions' });
  await expect(actions.getByText('Already released')).toHaveCount(3);
  await expect(actions.getByRole('button', { name: 'Extend…' })).toBeDisabled();
  await expect(page.getByRole('region', { name: 'Events' })).toContainText('Released, still held');
  await actions.getByRole('button', { name: 'Force release…' }).click();
  await expect(dialog(page)).toContainText('Its holder has released it.');
  await reason(page, 'the job failed, and runs again');
  await act(page, 'Force release and grant to reports-1');
  expect(await waiting).toBe('granted');
});

test('the capacity of a lock with permits can be raised, and the next waiter is granted', async ({
  page,
}) => {
  const name = 'export-slots';
  const slots = { name, mode: 'permit', capacity: 3, leaseMs: 600_000 } as const;
  await imports.acquire({ ...slots, permits: 2 });
  const waiting = waitFor(reports, { ...slots, permits: 2 });
  await openLive(page, '/?view=all');
  await expect(cell(lockRow(page, name), 'state')).toContainText('2 of 3 permits');
  await openLive(page, pageOf(name));
  await header(page).getByRole('button', { name: 'Capacity…' }).click();
  await dialog(page).getByLabel('New capacity').fill('1');
  await expect(dialog(page)).toContainText('reports-1 waits for 2 permits.');
  await dialog(page).getByLabel('New capacity').fill('4');
  await expect(dialog(page)).toContainText('Permits are granted to reports-1 immediately.');
  await reason(page, 'the export is late');
  await act(page, 'Set capacity to 4');
  expect(await waiting).toBe('granted');
  await expect(page.getByRole('region', { name: 'Events' })).toContainText('Capacity changed');
  await openPage(page, '/audit');
  await expect(page.getByRole('row').filter({ hasText: 'Changed capacity' })).toContainText('Done');
});

test('a holder gets a release request; a hold with blocked renewals ends with its lease', async ({
  page,
}) => {
  const name = 'long-import';
  const notices: string[] = [];
  const work = withLock(
    name,
    {
      client: imports,
      leaseMs: 15_000,
      onAskedToRelease: ({ by, reason }) => notices.push(`asked by ${by}: ${reason}`),
      onRenewalsStopped: ({ by }) => notices.push(`stopped by ${by}`),
    },
    (hold) =>
      new Promise((_, reject) =>
        hold.signal.addEventListener('abort', () => reject(hold.signal.reason)),
      ),
  ).catch((error: Error) => error.name);
  await expect.poll(async () => (await imports.inspect({ name })).state).toBe('held');
  await openLive(page, pageOf(name));
  await page.getByRole('button', { name: 'Ask…' }).click();
  await expect(dialog(page)).toHaveAccessibleName('Ask imports-1 to release?');
  await reason(page, 'the deploy waits');
  await act(page, 'Ask to release');
  const note = page.getByRole('status').filter({ hasText: /^Release request/ });
  await expect(note).toContainText(/imports-1 gets it at its next renewal|delivered to imports-1/);
  await expect.poll(() => notices).toEqual(['asked by Stella Steward: the deploy waits']);
  await expect(note).toContainText(/delivered to imports-1 at \d\d:\d\d:\d\d/);
  await expect(page.getByRole('button', { name: 'Ask again…' })).toBeVisible();
  await page.getByRole('button', { name: 'Block renewals…' }).click();
  await reason(page, 'it never ends');
  await act(page, 'Block renewals');
  expect(await work).toBe('LockLost');
  expect(notices).toContain('stopped by Stella Steward');
});

test('the result of an action is read out once, not with every second of its countdown', async ({
  page,
}) => {
  const name = 'counted-down';
  await imports.acquire({ name, leaseMs: 60_000, owner: 'imports-1' });
  await openLive(page, pageOf(name));
  await page.getByRole('button', { name: 'Block renewals…' }).click();
  await reason(page, 'it never ends');
  await act(page, 'Block renewals');
  const heard = page.getByRole('status').filter({ hasText: /^Renewals blocked/ });
  const seen = page.locator('p[aria-hidden]').filter({ hasText: /^Renewals blocked/ });
  const [first, read] = [await seen.innerText(), await heard.innerText()];
  await expect(seen).not.toHaveText(first);
  expect(await heard.innerText()).toBe(read);
});

test('shared holders are shown one by one, and an action applies to the selected one', async ({
  page,
}) => {
  const name = 'price-list';
  const share = { name, leaseMs: 60_000, mode: 'shared' } as const;
  await imports.acquire({ ...share, owner: 'reader-1' });
  await imports.acquire({ ...share, owner: 'reader-2' });
  await openLive(page, pageOf(name));
  const holders = page.getByRole('region', { name: 'Holders' });
  await expect(holders).toContainText('2 shared holders');
  await holders.getByText('reader-1').first().click();
  await page.getByRole('button', { name: 'Force release…' }).click();
  await expect(dialog(page)).toContainText('reader-1');
  await reason(page, 'its host is gone');
  await act(page, 'Force release this hold');
  await expect(dialog(page)).toBeHidden();
  const left = (await imports.inspect({ name })).holders.map(({ owner }) => owner);
  expect(left).toEqual(['reader-2']);
});

test('only an admin sets a limit of a namespace; it refuses callers, other roles read it', async ({
  page,
  context,
  server,
  admin,
}) => {
  const change = () => page.getByRole('button', { name: 'Edit policy of money' });
  await openPage(page, '/namespaces');
  await expect(page.getByRole('list', { name: 'Policy of money' })).toHaveText('default policy');
  await expect(change()).toHaveCount(0);
  await signIn(context, server, admin);
  await openPage(page, '/namespaces');
  await change().click();
  await dialog(page).getByText('Custom').click();
  await dialog(page)
    .getByLabel(/^Max lease/)
    .fill('60');
  await dialog(page)
    .getByLabel(/^Max queue length/)
    .fill('2001');
  await reason(page, 'month end must be short');
  await act(page, 'Save policy');
  await expect(dialog(page)).toBeVisible();
  await dialog(page)
    .getByLabel(/^Max queue length/)
    .fill('50');
  await act(page, 'Save policy');
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByRole('row').filter({ hasText: 'money' })).toContainText('queue 50');
  const refused = imports.acquire({ namespace: 'money', name: 'x', leaseMs: 60_001 });
  await expect(refused).rejects.toThrow('leaseMs must be at most 60000 in namespace money.');
});

test('a policy that another admin changed meanwhile is not overwritten', async ({
  page,
  context,
  server,
  admin,
}) => {
  await callConsole(server, admin.cookie, 'namespaces.create', { name: 'shared' });
  await signIn(context, server, admin);
  await openPage(page, '/namespaces');
  const fillIn = async () => {
    await page.getByRole('button', { name: 'Edit policy of shared' }).click();
    await dialog(page).getByText('Custom').click();
    await dialog(page)
      .getByLabel(/^Lock delay/)
      .fill('30s');
    await reason(page, 'disks need a pause');
  };
  await fillIn();
  const shorter = { leaseMinMs: 100, leaseMaxMs: 60_000, patienceMaxMs: 600_000, queueLimit: 7 };
  const policy = { ...shorter, lockDelayMs: 0, requiredMeta: [] };
  const change = { name: 'shared', policy, reason: 'a shorter queue' };
  await callConsole(server, admin.cookie, 'namespaces.setPolicy', change);
  await act(page, 'Save policy');
  // The list under the dialog may show the other policy before the answer arrives.
  await expect(dialog(page)).toContainText(/changed (meanwhile|since you opened this)/);
  await act(page, 'Cancel');
  const row = page.getByRole('row').filter({ hasText: 'shared' });
  await expect(row).toContainText('queue 7');
  await fillIn();
  await act(page, 'Save policy');
  await expect(dialog(page)).toBeHidden();
  await expect(row).toContainText('queue 7');
  await expect(row).toContainText('30 s');
});

test('a release announces the lock delay of its namespace, and grants nothing for as long', async ({
  page,
  server,
  admin,
}) => {
  const place = { namespace: 'resting', name: 'press' };
  const policy = {
    leaseMinMs: 100,
    leaseMaxMs: 600_000,
    patienceMaxMs: 600_000,
    queueLimit: 10,
    lockDelayMs: 10_000,
    requiredMeta: [],
  };
  await callConsole(server, admin.cookie, 'namespaces.create', { name: 'resting', policy });
  const press = await createService(server, admin, 'press', ['resting']);
  await press.acquire({ ...place, leaseMs: 600_000 });
  const waiting = waitFor(press, { ...place, owner: 'press-2', leaseMs: 60_000 });
  await openLive(page, lockPath(place.namespace, place.name));
  await page.getByRole('button', { name: 'Force release…' }).click();
  await expect(dialog(page)).toHaveAccessibleName(
    /^Force release this lock and grant it to press-2 after 10.s\?$/,
  );
  await expect(dialog(page)).toContainText(/No grants for 10.s afterwards/);
  await reason(page, 'its paper is torn');
  await dialog(page)
    .getByRole('button', { name: /^Force release and grant to press-2 after 10.s$/ })
    .click();
  const result = page
    .getByRole('status')
    .filter({ hasText: /No grants for 10.s\. 1 still waiting\./ });
  await expect(result).toBeVisible();
  await expect(header(page)).toContainText('Delayed');
  await expect(page.getByRole('region', { name: 'Next grant' })).toContainText(
    'Granted to press-2 after the lock delay.',
  );
  expect(await waiting).toBe('granted');
});
