import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestClock } from '@/server/platform/testing/test-clock';
import { interpose } from '../testing/interpose';
import { startRedisNodes } from '../testing/redis-nodes';
import { QUORUM_CONSISTENCY, tryQuorumLock, unlockQuorum } from './quorum-lock';

const LEASE_MS = 10_000;
/** Long enough for a busy machine. */
const options = { leaseMs: LEASE_MS, nodeMs: 8_000 };
/** Short enough to wait for a node that is down. */
const impatient = { ...options, nodeMs: 2_000 };

let quorum: Awaited<ReturnType<typeof startRedisNodes>>;
beforeAll(async () => {
  quorum = await startRedisNodes();
});
afterAll(() => quorum?.stop());
beforeEach(async () => {
  await Promise.all(quorum.nodes.map((node) => node.flushall()));
});

const keysLeft = async () => {
  const counts = await Promise.all(quorum.nodes.map((node) => node.dbsize()));
  return counts.reduce((sum, count) => sum + count, 0);
};

test('is granted by a majority, for what is left of the lease', async () => {
  const leftMs = await tryQuorumLock(quorum.nodes, 'a', 'one', options);
  expect(leftMs).toBeGreaterThan(0);
  expect(leftMs).toBeLessThan(LEASE_MS * 0.99);
  expect(await tryQuorumLock(quorum.nodes, 'a', 'two', options)).toBe(null);
  expect(await unlockQuorum(quorum.nodes, 'a', 'two', options)).toBe(false);
  expect(await unlockQuorum(quorum.nodes, 'a', 'one', options)).toBe(true);
  expect(await keysLeft()).toBe(0);
});

test('is refused if too much time has passed, and released on all nodes', async () => {
  const clock = new TestClock();
  const slowBy = (ms: number) => {
    const [first, ...rest] = quorum.nodes;
    if (!first) throw new Error('There are no nodes.');
    const slow = interpose(first, {
      set(...args: [string, string, 'PX', number, 'NX']) {
        clock.pass(ms);
        return first.set(...args);
      },
    });
    return tryQuorumLock([slow, ...rest], 'slow', 'one', { ...options, clock });
  };
  // All three grant it, but the allowance for drift is used up.
  expect(await slowBy(LEASE_MS * 0.99)).toBe(null);
  expect(await keysLeft()).toBe(0);
  expect(await slowBy(LEASE_MS * 0.9)).toBeCloseTo(LEASE_MS * 0.09 - 2);
});

test('one node may be down, two may not', async () => {
  const [first, second] = quorum.servers;
  first?.signal('SIGSTOP');
  try {
    expect(await tryQuorumLock(quorum.nodes, 'down', 'one', impatient)).not.toBe(null);
    second?.signal('SIGSTOP');
    expect(await tryQuorumLock(quorum.nodes, 'other', 'one', impatient)).toBe(null);
  } finally {
    for (const server of [first, second]) server?.signal('SIGCONT');
  }
});

test('a release that nodes do not answer is not reported as a lost lock', async () => {
  expect(await tryQuorumLock(quorum.nodes, 'unheard', 'one', options)).not.toBe(null);
  const [first, second] = quorum.servers;
  for (const server of [first, second]) server?.signal('SIGSTOP');
  try {
    expect(await unlockQuorum(quorum.nodes, 'unheard', 'one', impatient)).toBe(true);
  } finally {
    for (const server of [first, second]) server?.signal('SIGCONT');
  }
});

test('is Timed, not Strong: nodes that forget within a lease grant it twice', async () => {
  expect(QUORUM_CONSISTENCY).toBe('Timed');
  const [first, second] = quorum.nodes;
  expect(await tryQuorumLock(quorum.nodes, 'twice', 'one', options)).not.toBe(null);
  await Promise.all([first?.flushall(), second?.flushall()]);
  expect(await tryQuorumLock(quorum.nodes, 'twice', 'two', options)).not.toBe(null);
});
