import { expectSound } from './expect-sound';
import { openLive, openPage } from './locks-page';
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
    const input = { namespace: name, name: lock, owner, leaseMs: 60_000 };
    const answer = await service.acquire(input);
    if (answer.outcome !== 'granted') throw new Error('Nobody else wants it.');
    if (lock !== 'job:3') await service.release({ ...input, token: answer.token });
  }
  await expect(
    service.acquire({ namespace: name, name: 'job:4', owner, leaseMs: 1_000 }),
  ).rejects.toMatchObject({ reason: 'NAMESPACE_FULL' });

  const olga = await createPerson(server, admin, 'operator', 'olga-deletes');
  const vera = await createPerson(server, admin, 'viewer', 'vera-looks');
  for (const width of [390, 1_440]) {
    const context = await browser.newContext({ viewport: { width, height: 900 } });
    await signIn(context, server, olga);
    const page = await context.newPage();
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
    await expectSound(page);
    await context.close();
  }
  const context = await browser.newContext();
  await signIn(context, server, vera);
  const page = await context.newPage();
  await openLive(page, `${server.url}/?namespace=${name}`);
  await expect(page.getByRole('link', { name: 'job:1' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Delete/ })).toHaveCount(0);
  await context.close();
});
