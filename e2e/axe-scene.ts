import type { Page } from 'playwright/test';
import { LockyardClient } from '../client/lockyard';
import {
  callConsole,
  createKey,
  createPerson,
  expect,
  type Person,
  refusalOf,
  signIn,
  test,
  waitFor,
} from './lockyard-test';
import { guardPage } from './page-guard';
import type { RunningServer } from './start-server';

export const LONG_NAME = `a-very-long-name:${'segment/'.repeat(22)}end`;

const DESKTOP = { width: 1440, height: 900 };

/** Locks in every state, and something to see on every page. */
export interface Scene {
  viewer: Person;
  /** The client of a service that may use every namespace of the scene. */
  orders: LockyardClient;
  take(name: string, owner?: string, leaseMs?: number): Promise<number>;
}

/**
 * One page for all tests of a file, which keeps what it has loaded. Each test starts at the size of
 * a desktop, and fails if {@link guardPage} noted anything on the page.
 */
export function onePage(server: () => RunningServer): {
  page: () => Page;
  /** Opens an address as a user; does nothing if it is open. */
  visit: (address: string, who: Person) => Promise<void>;
  /** From now on errors are expected. */
  forgive: () => void;
} {
  let page: Page;
  let faults: () => string[] = () => [];
  let visitor: Person | null = null;
  test.beforeAll(async ({ browser }) => {
    const context = await browser.newContext({ reducedMotion: 'reduce', viewport: DESKTOP });
    page = await context.newPage();
    faults = await guardPage(page, server().url);
  });
  test.afterAll(() => page?.context().close());
  test.beforeEach(() => page.setViewportSize(DESKTOP));
  test.afterEach(() => expect(faults()).toEqual([]));
  return {
    page: () => page,
    async visit(address, who) {
      if (page.url() === `${server().url}${address}` && visitor === who) return;
      visitor = who;
      await signIn(page.context(), server(), who);
      await page.goto(`${server().url}${address}`);
    },
    forgive() {
      faults = () => [];
    },
  };
}

export const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).first().click();

const policy = {
  leaseMinMs: 100,
  leaseMaxMs: 600_000,
  patienceMaxMs: 600_000,
  queueLimit: 50,
  lockDelayMs: 10_000,
  requiredMeta: [],
  stuckAfterMs: 1_000,
};

export async function makeScene(server: RunningServer, admin: Person): Promise<Scene> {
  const { cookie } = admin;
  await callConsole(server, cookie, 'namespaces.create', { name: 'team-blue', policy });
  const viewer = await createPerson(server, admin, 'viewer', 'Vera Viewer');
  const apiKey = await createKey(server, admin, 'orders', ['default', 'team-blue']);
  const orders = new LockyardClient({ url: server.url, apiKey, owner: 'orders-1' });
  const take: Scene['take'] = async (name, owner = 'orders-1', leaseMs = 600_000) => {
    const answer = await orders.acquire({ name, owner, leaseMs });
    if (answer.outcome !== 'granted') throw new Error(answer.outcome);
    return answer.token;
  };

  const token = await take('busy');
  await orders.renew({ name: 'busy', token, leaseMs: 600_000 });
  for (const owner of ['w1', 'w2', 'a-waiter-with-a-rather-long-name-of-its-own:worker-17']) {
    void waitFor(orders, { name: 'busy', owner, leaseMs: 60_000 });
  }
  await orders.release({ name: 'free', token: await take('free') });
  await take('lapsed', 'orders-9', 200);
  for (const name of [LONG_NAME, 'job ', '<img>', 'بيع:1']) await take(name);
  const frozen = { namespace: 'default', name: 'frozen', rev: 0, reason: 'a repair of the ledger' };
  await take('frozen');
  await callConsole(server, cookie, 'locks.freeze', frozen);
  for (const owner of ['reader-1', 'reader-2', 'reader-3']) {
    await orders.acquire({ name: 'shared', owner, leaseMs: 600_000, mode: 'shared' });
  }
  await orders.acquire({ namespace: 'team-blue', name: 'busy', leaseMs: 600_000 });
  const jam = { namespace: 'team-blue', name: 'jam', leaseMs: 600_000 };
  await orders.acquire({ ...jam, owner: 'orders-7' });
  void waitFor(orders, { ...jam, owner: 'orders-8' });
  const act = { namespace: 'default', name: 'busy', token, rev: 0, reason: 'out of curiosity' };
  await refusalOf(server, viewer.cookie, 'locks.forceRelease', act);
  await callConsole(server, cookie, 'locks.extend', { ...act, extendMs: 60_000 });
  return { viewer, orders, take };
}
