import { expectSound } from './expect-sound';
import { lockRow, openLive, openPage } from './locks-page';
import { callConsole, createPerson, createService, expect, signIn, test } from './lockyard-test';

const POLICY = {
  leaseMinMs: 100,
  leaseMaxMs: 86_400_000,
  patienceMaxMs: 600_000,
  queueLimit: 200,
  lockDelayMs: 0,
  requiredMeta: [],
};

test('an operator sees what a deletion would keep and why, a viewer is not offered it, and a full namespace says so', async ({
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
    if (answer.outcome !== 'granted') throw new Error('Nobody else wants it.');
    if (lock !== 'job:3') await service.release({ ...hold, token: answer.token });
  }
  await expect(
    service.acquire({ namespace: name, name: 'job:4', owner, leaseMs: 1_000 }),
  ).rejects.toMatchObject({ reason: 'NAMESPACE_FULL' });

  const olga = await createPerson(server, admin, 'operator', 'olga-deletes');
  const vera = await createPerson(server, admin, 'viewer', 'vera-looks');
  const seen = await browser.newContext();
  await signIn(seen, server, olga);
  const page = await seen.newPage();
  await openLive(page, `${server.url}/?namespace=${name}`);
  await expect(page.getByText('It has 3 of 3 locks and counters')).toBeVisible();
  await page.getByRole('button', { name: 'Delete free locks…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: /^Prefix/ }).fill('job:');
  await expect(dialog.getByText('0 of 3 locks can be deleted.')).toBeVisible();
  await expect(dialog.getByText(/2 kept: a new one could repeat its tokens/)).toBeVisible();
  await expect(dialog.getByText(/1 kept: held/)).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Delete locks' })).toBeDisabled();
  await expectSound(page);
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
  await context.close();
});
