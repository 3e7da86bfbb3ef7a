import { Redis } from 'ioredis';
import type { LockyardClient } from '../client/lockyard';
import { startPrivateRedis } from '../scripts/servers/private-redis.mjs';
import { expectSound } from './expect-sound';
import {
  createPerson,
  createService,
  expect,
  type Person,
  setUp,
  signIn,
  test,
} from './lockyard-test';
import { type OwnMariadb, startOwnMariadb } from './own-mariadb';
import { guardPage } from './page-guard';
import { type RunningServer, startServer } from './start-server';

const reason = 'stock was counted';

let mariadb: OwnMariadb;
let redis: Awaited<ReturnType<typeof startPrivateRedis>>;
let gateRedis: Redis;
let gated: RunningServer;
let admin: Person;
let operator: Person;
test.beforeAll(async () => {
  mariadb = await startOwnMariadb();
  redis = await startPrivateRedis();
  gateRedis = new Redis(redis.url, { protocol: 2 });
  gated = await startServer({
    LOCKYARD_DATABASE_URL: mariadb.url,
    LOCKYARD_GATE_CACHE: redis.url,
  });
  admin = await setUp(gated);
  operator = await createPerson(gated, admin, 'operator', 'opal');
});
test.afterAll(async () => {
  await gated?.discard();
  gateRedis?.disconnect();
  await redis?.stop();
  await mariadb?.discard();
});

/** Requests more than is left until the gate refuses. */
async function untilRefusedByGate(orders: LockyardClient): Promise<void> {
  const refused = async () => orders.addToCounter({ name: 'stock', delta: -1_000 });
  const isEstimate = async () => 'estimate' in (await refused());
  await expect.poll(isEstimate, { timeout: 20_000 }).toBe(true);
}

test('an admin puts Redis in front of a namespace, and an operator reconciles a counter', async ({
  page,
}) => {
  const faults = await guardPage(page, gated.url);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const orders = await createService(gated, admin, 'orders');
  await orders.createCounter({ name: 'stock', initial: 30, floor: 0, ceiling: 40 });

  await signIn(page.context(), gated, admin);
  await page.goto(`${gated.url}/namespaces`);
  await page.getByRole('button', { name: 'Edit policy of default' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Custom').click();
  await dialog.getByLabel(/^Gate for counters/).selectOption('cache');
  await dialog.getByLabel('Reason').fill(reason);
  await expectSound(page, '[role="dialog"]');
  await dialog.getByRole('button', { name: 'Save policy' }).click();
  await expect(page.getByRole('list', { name: 'Policy of default' })).toContainText('gate cache');

  for (let i = 0; i < 25; i += 1) await orders.addToCounter({ name: 'stock', delta: -1 });
  await signIn(page.context(), gated, operator);
  await page.goto(`${gated.url}/counters/default/stock`);
  const gate = page.getByRole('region', { name: 'Gate' });
  await expect(async () => {
    // A gate that was silent for a moment loads the value again at the next change.
    await untilRefusedByGate(orders);
    await expect(gate).toContainText(/Fast value \(Redis\)5rev/, { timeout: 5_000 });
  }).toPass({ timeout: 60_000 });
  await expect(gate).toContainText(/Durable value \(MySQL\)5rev/);
  await expect(gate).toContainText(/Driftnone/);
  await expect(gate).toContainText('at least 5 above the floor, 35 below the ceiling');
  const value = page.getByRole('region', { name: 'Current value' });
  await expect(value).toContainText('5 above the floor, 35 below the ceiling');
  const moves = page.getByRole('region', { name: 'History' }).getByRole('listitem');
  await expect(moves.first()).toHaveText(/orders\s*5$/);
  await expect(moves.last()).toHaveText(/Created\s*orders/);

  // A read that is under way would repair it immediately, and seconds later it is forgotten.
  await expect(async () => {
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await untilRefusedByGate(orders);
    await page.waitForTimeout(1_000);
    const [key = ''] = await gateRedis.keys('lockyard:gate:*:counter:default#stock');
    const state = (await gateRedis.get(key)) ?? '';
    await gateRedis.set(key, state.replace(/^(\S+) \S+/, '$1 2'), 'KEEPTTL');
    await expect(gate).toContainText(/Drift−3/, { timeout: 3_000 });
    await expect(gate).toContainText('Corrected automatically within 10 s', { timeout: 1_000 });
    await gate.getByRole('button', { name: 'Reconcile now…' }).click({ timeout: 3_000 });
    await expect(dialog).toContainText(/Fast value: 2 → 5/, { timeout: 3_000 });
  }).toPass({ timeout: 60_000 });
  await expectSound(page, '[role="dialog"]');
  await dialog.getByLabel('Reason').fill(reason);
  await expect(async () => {
    // Refused while the gate is silent for a moment.
    if (await dialog.isVisible()) {
      await dialog.getByRole('button', { name: 'Reconcile' }).click({ timeout: 3_000 });
    }
    await expect(gate).toContainText(/Driftnone/, { timeout: 3_000 });
  }).toPass({ timeout: 60_000 });
  await page.goto(`${gated.url}/audit`);
  const reconciled = page.getByRole('row').filter({ hasText: 'Reconciled gate' }).first();
  await expect(reconciled).toContainText(reason);
  expect(faults()).toEqual([]);
});
