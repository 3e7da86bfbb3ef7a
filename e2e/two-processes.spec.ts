import { createConnection } from 'mysql2/promise';
import {
  acquireHold,
  LockyardClient,
  lead,
  type Term,
  watchLeader,
  withLock,
} from '../client/lockyard';
import { cell, lockRow, openLive, openPage, untilAlive } from './locks-page';
import { callConsole, createKey, expect, type Person, setUp, signIn, test } from './lockyard-test';
import { type OwnMariadb, startOwnMariadb } from './own-mariadb';
import { pageProcesses, pageProcessOf } from './page-processes';
import { type RunningServer, startServer } from './start-server';

/** It uses only servers of its own. */
test.use({ baseURL: undefined });

let database: OwnMariadb;
let one: RunningServer;
let two: RunningServer;
let admin: Person;
let atOne: LockyardClient;
let atTwo: LockyardClient;
test.beforeAll(async () => {
  database = await startOwnMariadb();
  const variables = {
    LOCKYARD_DATABASE_URL: database.url,
    LOCKYARD_SECRET: 'one secret for both of the two processes',
  };
  one = await startServer(variables);
  admin = await setUp(one);
  two = await startServer(variables, /ready on/);
  const apiKey = await createKey(one, admin, 'orders');
  atOne = new LockyardClient({ url: one.url, apiKey, owner: 'orders-1' });
  atTwo = new LockyardClient({ url: two.url, apiKey, owner: 'orders-2' });
});
test.afterAll(async () => {
  await Promise.all([one?.discard(), two?.discard()]);
  await database?.discard();
});

/** Long enough to be renewed in time even if this process or a server is busy for seconds. */
const LEASE_MS = 15_000;

async function take(client: LockyardClient, name: string, owner?: string): Promise<number> {
  const answer = await client.acquire({ name, owner, leaseMs: 60_000, waitMs: 25_000 });
  if (answer.outcome !== 'granted') throw new Error(answer.outcome);
  return answer.token;
}

/** Who waits, in the order of the queue, as the second process knows it. */
const queue = async (name: string) =>
  (await atTwo.inspect({ name })).waiters.map(({ owner }) => owner);

test('a lock released at one process is granted to a waiter at the other within 1 s', async () => {
  const name = 'handed-over';
  for (const [from, to] of [
    [atOne, atTwo],
    [atTwo, atOne],
  ] as const) {
    const token = await take(from, name);
    const waiting = take(to, name);
    await expect.poll(() => queue(name)).toEqual([to.settings.owner]);
    await from.release({ name, token });
    const releasedAt = performance.now();
    const next = await waiting;
    expect(performance.now() - releasedAt).toBeLessThan(10_000);
    expect(next).toBeGreaterThan(token);
    await to.release({ name, token: next });
  }
});

test('both processes share one queue, first in, first out', async () => {
  const name = 'one-queue';
  const token = await take(atOne, name, 'holder');
  const served: string[] = [];
  const comers = ['a', 'b', 'c', 'd', 'e', 'f'];
  const waits: Promise<unknown>[] = [];
  for (const [place, owner] of comers.entries()) {
    const client = place % 2 === 0 ? atTwo : atOne;
    const serve = async () => {
      const granted = await take(client, name, owner);
      served.push(owner);
      await client.release({ name, owner, token: granted });
    };
    waits.push(serve());
    await expect.poll(() => queue(name)).toEqual(comers.slice(0, place + 1));
  }
  await atOne.release({ name, owner: 'holder', token });
  await Promise.all(waits);
  expect(served).toEqual(comers);
});

test('the console of one process shows, and acts on, what is held through the other', async ({
  context,
  page,
}) => {
  const name = 'seen-from-afar';
  await signIn(context, two, admin);
  await openLive(page, `${two.url}/?q=${name}`);
  const token = await take(atOne, name);
  const row = lockRow(page, name);
  await expect(row).toBeVisible({ timeout: 10_000 });
  await expect(cell(row, 'owner')).toContainText('orders-1');
  const waiting = take(atOne, name, 'orders-3');
  await expect(cell(row, 'waiters')).toContainText(/^1/);
  await row.hover();
  await row.getByRole('button', { name: 'Force release…' }).click();
  await page
    .getByRole('dialog')
    .getByLabel(/^Reason/)
    .fill('from the other side');
  await page.getByRole('button', { name: 'Force release and grant to orders-3' }).click();
  expect(await waiting).toBeGreaterThan(token);
  await expect(cell(row, 'owner')).toContainText('orders-3');
  expect(await atOne.renew({ name, token, leaseMs: 60_000 })).toMatchObject({
    outcome: 'lost',
    cause: 'forced',
    reason: 'from the other side',
  });
});

test('a killed process delays the next waiter by 2 s at most, and leaves nothing behind', async ({
  context,
  page,
}) => {
  const name = 'survivors-go-on';
  const left = 'left-behind';
  await signIn(context, two, admin);
  await openLive(page, `${two.url}/locks/default/${left}`);
  const token = await take(atTwo, name, 'holder');
  const lost: Promise<unknown>[] = [];
  for (const owner of ['dead-1', 'dead-2', 'dead-3']) {
    lost.push(take(atOne, name, owner).catch((error: unknown) => error));
    await expect.poll(() => queue(name)).toContain(owner);
  }
  const waiting = take(atTwo, name, 'alive');
  await expect.poll(() => queue(name)).toEqual(['dead-1', 'dead-2', 'dead-3', 'alive']);
  await atOne.acquire({ name: left, leaseMs: 8_000 });
  await expect(page.getByRole('region', { name: 'Holder' })).toContainText('orders-1');
  const renderer = pageProcessOf(one);
  expect(renderer).not.toBeNull();

  await one.kill();
  await Promise.all(lost);
  await atTwo.release({ name, owner: 'holder', token });
  const releasedAt = performance.now();
  expect(await waiting).toBeGreaterThan(token);
  expect(performance.now() - releasedAt).toBeLessThan(10_000);
  await expect.poll(() => pageProcesses().map(({ pid }) => pid)).not.toContain(renderer);
  await expect(page.getByText('without a release, after 8')).toBeVisible({ timeout: 40_000 });
  const events = page.getByRole('region', { name: 'Events' }).getByRole('listitem');
  await expect(events.first()).toContainText('Expired');
  await one.restart();
  await openLive(page, `${one.url}/locks/default/${left}`);
  await expect(events.first()).toContainText('Expired');
});

test('a session that ends at one process ends at the other', async ({ context, page }) => {
  const { cookie } = await callConsole(two, '', 'session.signIn', {
    name: admin.name,
    password: admin.password,
  });
  await signIn(context, two, { ...admin, cookie });
  await openLive(page, `${two.url}/`);
  await callConsole(one, cookie, 'session.signOut', {});
  await expect(page).toHaveURL(`${two.url}/sign-in`);
});

test('a client with both addresses keeps place, hold and lead when its process dies', async () => {
  const name = 'moves-over';
  const url = `${one.url},${two.url}`;
  const client = new LockyardClient({ url, apiKey: atOne.settings.apiKey, owner: 'mover' });
  const resign = new AbortController();
  const terms: Term[] = [];
  const leading = lead('moves-lead', {
    client,
    leaseMs: LEASE_MS,
    signal: resign.signal,
    onElected: (term) => void terms.push(term),
    onLost: (why) => expect(why).toBeNull(),
  });
  await expect.poll(() => terms.length).toBe(1);
  const leaders: (number | null)[] = [];
  const unwatch = new AbortController();
  const watching = (async () => {
    for await (const leader of watchLeader('moves-lead', { client, signal: unwatch.signal })) {
      leaders.push(leader?.token ?? null);
    }
  })();
  await expect.poll(() => leaders.at(-1)).toBe(terms[0]?.token);

  const token = await take(atTwo, name, 'holder');
  const moving = withLock(name, { client, leaseMs: LEASE_MS }, (hold) => hold.token);
  await expect.poll(() => queue(name)).toEqual(['mover']);
  const waiting = take(atTwo, name, 'later');
  await expect.poll(() => queue(name)).toEqual(['mover', 'later']);
  const hold = await acquireHold('moves-hold', { client, leaseMs: LEASE_MS });
  const { expiresAt } = hold;

  await one.kill();
  await expect.poll(() => hold.expiresAt, { timeout: 20_000 }).toBeGreaterThan(expiresAt + 1_000);
  expect(await queue(name)).toEqual(['mover', 'later']);
  await atTwo.release({ name, owner: 'holder', token });
  const moved = await moving;
  expect(moved).toBeGreaterThan(token);
  const last = await waiting;
  expect(last).toBeGreaterThan(moved);
  await atTwo.release({ name, owner: 'later', token: last });

  const [term] = terms;
  expect(await atTwo.check({ name: 'moves-hold', token: hold.token })).toEqual({ valid: true });
  expect(await atTwo.inspect({ name: 'moves-lead' })).toMatchObject({
    holders: [{ token: term?.token }],
  });
  expect(terms).toHaveLength(1);
  expect(term?.signal.aborted).toBe(false);
  await hold.release();
  resign.abort();
  await leading;
  expect(await atTwo.inspect({ name: 'moves-lead' })).toMatchObject({ state: 'free' });
  await expect.poll(() => leaders.slice(-2)).toEqual([term?.token, null]);
  unwatch.abort();
  await watching;
});

// The test before has left only the second process.
test('a database that becomes unsafe shows its reason and grants nothing until corrected', async ({
  context,
  page,
}) => {
  const server = await createConnection({ uri: database.url });
  const reasonOf = (error: unknown) => (error as { reason?: string }).reason;
  const token = await take(atTwo, 'held-meanwhile');
  await signIn(context, two, admin);
  await openPage(page, `${two.url}/backends`);
  const card = page.getByRole('listitem', { name: 'Backend default' });
  const readAgain = () => card.getByRole('button', { name: /Check the settings/ }).click();
  await expect(card).toContainText('Best-effort');
  const complaints = card.getByRole('list', { name: 'Settings of default that need attention' });
  await expect(complaints).toContainText(/innodb_flush_log_at_trx_commit.*Must be 1/);
  try {
    await server.query('SET GLOBAL innodb_flush_log_at_trx_commit = 1');
    await readAgain();
    await expect(card).toContainText('Strong');
    await expect(complaints).toHaveCount(0);

    await server.query('SET GLOBAL read_only = ON');
    await readAgain();
    await expect(card).toContainText('Grants disabled');
    await expect(card).toContainText('The server is read-only');
    const topBar = page.getByRole('banner').getByRole('link', { name: /default/ });
    await expect(topBar).toContainText('grants disabled');
    const refused = await atTwo.acquire({ name: 'new', leaseMs: 1_000 }).catch(reasonOf);
    expect(refused).toBe('BACKEND_DOWN');
    await page.goto(`${two.url}/locks/default/held-meanwhile`);
    await expect(page.locator('main')).toContainText('Backend default is not granting locks');
    await expect(page.locator('main')).toContainText('No grant: backend is not granting locks');
    await untilAlive(page);
    await page.getByRole('button', { name: 'Force release…' }).click();
    await expect(page.getByRole('dialog')).toContainText('none – default is not granting locks');
    await page.keyboard.press('Escape');
    await page.goBack();
    const mine = { name: 'held-meanwhile', token };
    expect(await atTwo.renew({ ...mine, leaseMs: 60_000 })).toMatchObject({ outcome: 'renewed' });
    expect(await atTwo.release(mine)).toEqual({ outcome: 'released' });
  } finally {
    await server.query('SET GLOBAL read_only = OFF');
    await server.end();
  }
  await untilAlive(page);
  await readAgain();
  await expect(card).toContainText('Strong');
  expect(await atTwo.acquire({ name: 'new', leaseMs: 1_000 })).toMatchObject({
    outcome: 'granted',
  });
});
