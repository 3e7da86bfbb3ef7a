import { cutOf } from './cut-of';
import { openPage } from './locks-page';
import { createService, expect, signIn, test, waitFor } from './lockyard-test';

const LEASE = { leaseMs: 600_000 };

test('typing their number releases all locks of a dead process together, each one audited', async ({
  page,
  context,
  server,
  admin,
}) => {
  await signIn(context, server, admin);
  const gone = await createService(server, admin, 'gone');
  const heir = await createService(server, admin, 'heir');
  for (const name of ['left:a', 'left:b', 'left:c']) await gone.acquire({ name, ...LEASE });
  const inherited = waitFor(heir, { name: 'left:b', ...LEASE });

  await openPage(page, '/holders?q=gone');
  await page.getByRole('button', { name: 'gone-1' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'left:b' }).last()).toContainText(
    'granted to heir-1',
  );
  await page.getByRole('button', { name: 'Release all 3 it holds…' }).click();
  const dialog = page.getByRole('dialog', { name: /^Release all 3 locks of gone-1\?/ });
  const act = dialog.getByRole('button', { name: 'Release 3 locks' });
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  const preview = dialog.getByRole('list', { name: 'What happens to each lock' });
  await preview.focus();
  await expect(preview, 'keys can scroll it').toBeFocused();
  await dialog.getByLabel('Reason').fill('the rack of gone-1 failed');
  await dialog.getByLabel('Number of locks to release').fill('2');
  await expect(act).toBeDisabled();
  await dialog.getByLabel('Number of locks to release').fill('3');
  await act.click();
  await expect(dialog.getByRole('status')).toHaveText('3 of 3 locks released.');
  await expect(dialog.getByText('released, granted to heir-1')).toBeVisible();
  expect(await inherited).toBe('granted');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.goto('/audit?q=the+rack+of+gone-1+failed');
  await expect(page.getByText('the rack of gone-1 failed')).toHaveCount(3);
});

test('the processes of a service can be collapsed, by a click and by keys', async ({
  page,
  context,
  server,
  admin,
}) => {
  await signIn(context, server, admin);
  const folding = await createService(server, admin, 'folding');
  await folding.acquire({ name: 'folded', ...LEASE });
  await openPage(page, '/holders?q=folding');
  const service = page.getByRole('button', { name: 'folding 1 process' });
  const process = page.getByRole('button', { name: 'folding-1' });
  await expect(process).toBeVisible();
  await service.click();
  await expect(process).toBeHidden();
  await page.keyboard.press('ArrowRight');
  await expect(process).toBeVisible();
  await process.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(process).toBeHidden();
  await expect(service).toBeFocused();
});

test('on Holders in the past, arrow keys step, or fold the service that has the focus', async ({
  page,
  context,
  server,
  admin,
}) => {
  await signIn(context, server, admin);
  const stepping = await createService(server, admin, 'stepping');
  for (const name of ['step:1', 'step:2', 'step:3']) await stepping.acquire({ name, ...LEASE });
  const past = `/holders?at=${Date.now()}&q=stepping`;
  // A page of the past shows what was recorded when it was painted.
  await expect
    .poll(async () => (await page.request.get(past)).text(), { timeout: 60_000 })
    .toContain('stepping-1');
  await openPage(page, past);
  // The bar handles the keys. It is loaded after the page, and shows the slider once it is ready.
  await expect(page.getByRole('slider', { name: 'Instant shown' })).toBeVisible();
  const instants = [page.url()];
  for (const _ of [1, 2]) {
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.url()).not.toBe(instants.at(-1));
    instants.push(page.url());
  }
  const process = page.getByRole('button', { name: 'stepping-1' });
  await page.getByRole('button', { name: 'stepping 1 process' }).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(process).toBeHidden();
  expect(page.url()).toBe(instants.at(-1));
});

test('the name of an awaited lock never covers the wait time, however narrow the column', async ({
  page,
  context,
  server,
  admin,
}) => {
  await signIn(context, server, admin);
  const service = await createService(server, admin, 'covering');
  const name = 'covering:nightly-report:2026-11';
  await service.acquire({ name, ...LEASE });
  void waitFor(service, { name, owner: 'covered-2', ...LEASE });
  await expect.poll(async () => (await service.inspect({ name })).waiters.length).toBe(1);
  await page.setViewportSize({ width: 900, height: 800 });
  await openPage(page, '/holders?q=covered-2');
  const row = page.getByRole('row').filter({ hasText: 'covered-2' }).last();
  const [lock, since] = await Promise.all(
    [row.getByRole('link', { name }), row.getByText(/^\d+\ss$/)].map((each) => each.boundingBox()),
  );
  const isBeside = (lock?.x ?? 0) + (lock?.width ?? 0) <= (since?.x ?? 0);
  const isAbove = (lock?.y ?? 0) + (lock?.height ?? 0) <= (since?.y ?? 0) + 1;
  expect(isBeside || isAbove).toBe(true);
});

test('at 900 px an owner of 26 letters is legible', async ({ page, context, server, admin }) => {
  await signIn(context, server, admin);
  const owner = 'warehouse-b3e7:worker-1234';
  const service = await createService(server, admin, 'narrow');
  await service.acquire({ name: 'narrow', owner, ...LEASE });
  await page.setViewportSize({ width: 900, height: 768 });
  await openPage(page, `/holders?q=${owner}`);
  expect(await cutOf(page.getByRole('button', { name: owner }))).toEqual([0, 0]);
});

test('at 1024 px the names of services and owners are legible, and no figure moves', async ({
  page,
  context,
  server,
  admin,
}) => {
  await signIn(context, server, admin);
  const name = 'reconciliation-of-the-ledgers-overnight';
  const owner = 'inventory-61fe:worker-11';
  const service = await createService(server, admin, name);
  await service.acquire({ name: 'legible', owner, ...LEASE });
  await page.setViewportSize({ width: 1024, height: 768 });
  await openPage(page, `/holders?q=${owner}`);
  const heading = await page.getByRole('button', { name: `${name} 1 process` }).boundingBox();
  expect(heading?.height).toBeLessThanOrEqual(44);
  expect(await cutOf(page.getByRole('button', { name: owner }))).toEqual([0, 0]);

  const strip = page.getByRole('region', { name: 'Processes in figures' });
  await strip.evaluate((it) => it.setAttribute('data-unknown', 'false'));
  await expect(strip.getByRole('button', { name: /^Unknown/ })).toBeVisible();
});
