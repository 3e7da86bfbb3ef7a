import type { LockyardClient } from '../client/lockyard';
import { expectSound } from './expect-sound';
import { openPage } from './locks-page';
import { createService, expect, signIn, test } from './lockyard-test';
import { guardPage } from './page-guard';

const LEASE = { leaseMs: 120_000 };

/** Waits until the server answers, and forgets the answer: the test may be over by then. */
function waitFor(client: LockyardClient, name: string): void {
  void client.acquire({ name, ...LEASE, waitMs: 24_000 }).catch(() => undefined);
}

test('root or victim: from the first page one click shows the deadlock and the head blocker, another each victim’s root', async ({
  page,
  context,
  server,
  admin,
}) => {
  await signIn(context, server, admin);
  const faults = await guardPage(page, server.url);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const [pay, ledger, root, link, victim] = (await Promise.all(
    ['pay', 'ledger', 'root', 'link', 'victim'].map((name) => createService(server, admin, name)),
  )) as LockyardClient[] as [
    LockyardClient,
    LockyardClient,
    LockyardClient,
    LockyardClient,
    LockyardClient,
  ];
  await pay.acquire({ name: 'account:1', ...LEASE });
  await ledger.acquire({ name: 'account:2', ...LEASE });
  await root.acquire({ name: 'invoice-run', ...LEASE });
  await link.acquire({ name: 'mail-run', ...LEASE });
  waitFor(pay, 'account:2');
  waitFor(ledger, 'account:1');
  waitFor(link, 'invoice-run');
  waitFor(victim, 'mail-run');

  await openPage(page, '/');
  await page.getByRole('link', { name: 'Waits' }).click();
  const heads = page.getByRole('region', { name: 'Head blockers' }).getByRole('listitem');
  const deadlock = heads.filter({ hasText: 'Deadlock' });
  await expect(deadlock).toContainText('pay-1', { timeout: 10_000 });
  await expect(deadlock).toContainText('ledger-1');
  await expect(heads.filter({ hasText: 'root-1' }).first()).toContainText('2 callers');
  const drawn = page.getByRole('region', { name: 'Wait-for graph' });
  await expect(drawn.getByRole('link', { name: 'mail-run' })).toBeVisible();

  await page.getByText('List', { exact: true }).click();
  const row = page.getByRole('row').filter({ hasText: 'victim-1' });
  await expect(row.getByRole('cell').nth(3)).toContainText('link-1');
  await expect(row.getByRole('cell').nth(4)).toContainText('root-1');
  await expect(page.getByRole('region', { name: 'Deadlocks' })).toContainText('not yet');
  await expectSound(page);
  expect(faults()).toEqual([]);
});

test('all that a dead process holds is released together, after a typed count, each lock audited', async ({
  page,
  context,
  server,
  admin,
}) => {
  await signIn(context, server, admin);
  const gone = await createService(server, admin, 'gone');
  const heir = await createService(server, admin, 'heir');
  for (const name of ['left:a', 'left:b', 'left:c']) await gone.acquire({ name, ...LEASE });
  const inherited = heir.acquire({ name: 'left:b', ...LEASE, waitMs: 24_000 });

  await openPage(page, '/holders?q=gone');
  await page.getByRole('button', { name: 'gone-1' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'left:b' }).last()).toContainText(
    'granted to heir-1',
  );
  await page.getByRole('button', { name: 'Release all 3 it holds…' }).click();
  const dialog = page.getByRole('dialog', { name: /^Release all 3 locks of gone-1\?/ });
  const act = dialog.getByRole('button', { name: 'Release 3 locks' });
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await dialog.getByLabel('Reason').fill('the rack of gone-1 failed');
  await dialog.getByLabel('Number of locks to release').fill('2');
  await expect(act).toBeDisabled();
  await dialog.getByLabel('Number of locks to release').fill('3');
  await act.click();
  await expect(dialog.getByRole('status')).toHaveText('3 of 3 locks released.');
  await expect(dialog.getByText('released, granted to heir-1')).toBeVisible();
  expect((await inherited).outcome).toBe('granted');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.goto('/audit?q=the+rack+of+gone-1+failed');
  await expect(page.getByText('the rack of gone-1 failed')).toHaveCount(3);
});
