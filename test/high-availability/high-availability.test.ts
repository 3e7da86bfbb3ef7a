import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeAppReady } from '@/scripts/build/make-ready.mjs';
import { type SeenByRoute, TwoServers } from './two-servers';

const DOWN_MS = 8_000;
const DATABASE_DOWN_MS = 3_000;
const TEST_MAX_MS = 240_000;

let installation: TwoServers;
/** What is not running. */
let isDown: { servers: Set<number>; database: boolean };

beforeAll(async () => {
  await makeAppReady(() => undefined);
  installation = await TwoServers.start();
  isDown = { servers: new Set(), database: false };
  await installation.beginTraffic();
}, 600_000);
afterAll(() => installation?.close(), TEST_MAX_MS);

/** Each test begins with everything running, whatever the previous one left. */
beforeEach(async () => {
  if (isDown.database) await installation.database.start();
  for (const place of isDown.servers) await at(place).restart();
  isDown = { servers: new Set(), database: false };
  await installation.untilGranting();
}, TEST_MAX_MS);

const at = (place: number) => {
  const server = installation.servers[place];
  if (!server) throw new Error(`There is no server ${place}.`);
  return server;
};

/** What callers see while something happens, until they are granted locks again. */
async function during(what: string, happens: () => Promise<unknown>): Promise<SeenByRoute> {
  installation.look();
  await happens();
  const seen = installation.look();
  console.info(`${what}: ${JSON.stringify(seen)}`);
  await installation.untilGranting();
  expect(installation.referee.broken).toEqual([]);
  return seen;
}

/** The leases of lost holds, except those that are shorter than what is promised. */
const lostLeases = (seen: SeenByRoute, atLeastMs: number) =>
  Object.values(seen).flatMap(({ lostByLeaseMs }) =>
    Object.keys(lostByLeaseMs).filter((leaseMs) => Number(leaseMs) >= atLeastMs),
  );
const rejectedCalls = (seen: SeenByRoute) =>
  Object.values(seen)
    .flatMap((each) => Object.keys(each.rejectedCalls))
    .filter((name) => name !== 'LockLost');

describe.each([
  ['the first server', 0],
  ['the second server', 1],
] as const)('%s', (name, place) => {
  test(
    'is killed: the other one keeps granting, leases continue, and nothing is granted twice',
    async () => {
      isDown.servers.add(place);
      const seen = await during(`${name} is killed`, async () => {
        await at(place).kill();
        await pause(DOWN_MS);
      });
      expect(lostLeases(seen, 10_000)).toEqual([]);
      expect(rejectedCalls(seen)).toEqual([]);
    },
    TEST_MAX_MS,
  );

  test(
    'is asked to end: the other one keeps granting, leases continue, and nothing is granted twice',
    async () => {
      isDown.servers.add(place);
      const seen = await during(`${name} is asked to end`, async () => {
        expect(await at(place).stop()).toBe(0);
        await pause(DOWN_MS);
      });
      expect(lostLeases(seen, 10_000)).toEqual([]);
      expect(rejectedCalls(seen)).toEqual([]);
    },
    TEST_MAX_MS,
  );

  test(
    'stops responding, with its connections open: leases continue, and nothing is granted twice',
    async () => {
      const { pid } = at(place);
      const seen = await during(`${name} stops responding`, async () => {
        process.kill(pid, 'SIGSTOP');
        await pause(DOWN_MS);
      }).finally(() => process.kill(pid, 'SIGCONT'));
      expect(lostLeases(seen, 30_000)).toEqual([]);
      expect(rejectedCalls(seen)).toEqual([]);
    },
    TEST_MAX_MS,
  );
});

test(
  'the database is killed and comes back: leases continue, and nothing is granted twice',
  async () => {
    const seen = await during('the database is killed', async () => {
      isDown.database = true;
      installation.database.kill();
      await pause(DATABASE_DOWN_MS);
      await installation.database.start();
      isDown.database = false;
      await pause(DOWN_MS);
    });
    expect(lostLeases(seen, 30_000)).toEqual([]);
  },
  TEST_MAX_MS,
);

test(
  'every step of a counter that was answered was applied once',
  async () => {
    const { promised, value } = await installation.endTraffic();
    expect(promised).toBeGreaterThan(0);
    expect(value).toBe(promised);
  },
  TEST_MAX_MS,
);
