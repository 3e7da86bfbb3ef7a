import { describe, expect, it } from 'vitest';
import { acquire, release, renew, takeLock } from '../../engine/testing/engine-rig';
import { acquireMultiLock, takeMultiLock } from '../../engine/testing/multi-lock-calls';
import {
  created,
  eventOf,
  freshKey,
  stored,
  swapOne,
  update,
} from '../conformance/testing/changes';
import { recordAnswer } from '../conformance/testing/record-answer';
import { ZookeeperRig } from '../conformance/testing/zookeeper-rig';
import { openZookeeperUnderTest } from '../conformance/testing/zookeeper-under-test';

/** More than ZooKeeper accepts in one packet. */
const TOO_MUCH = 'q'.repeat(1_100_000);

describe('a record too large for a packet of ZooKeeper', () => {
  it('is refused on its own: none of it is applied, and the others of its swap are', async () => {
    const under = await openZookeeperUnderTest({ answerMaxMs: 10_000 });
    const { store } = under;
    const [large, larger, other] = [freshKey(), freshKey(), freshKey()];
    const seen = [
      await created(store, large),
      await created(store, larger),
      await created(store, other),
    ] as const;
    const half = 'q'.repeat(600_000);
    const results = await store.swap([
      update(large, seen[0], { queue: TOO_MUCH }),
      update(larger, seen[1], { queue: half, events: [eventOf(2, half)] }),
      update(other, seen[2], { head: 'next' }),
    ]);
    const [first, second] = seen;
    expect(results).toMatchObject([
      { applied: false, isTooLarge: true, current: first },
      { applied: false, isTooLarge: true, current: second },
      { applied: true, current: { rev: 2 } },
    ]);
    for (const [i, key] of [large, larger].entries()) {
      expect(await stored(store, key)).toEqual({ ...seen[i], head: 'head', queue: '' });
    }
    expect((await stored(store, other)).head).toBe('next');
    const fitting = update(large, first, { queue: 'q'.repeat(900_000) });
    expect((await swapOne(store, fitting)).applied).toBe(true);
    await under.close();
  });

  it('refuses only new waiters: a release or a renewal at the same moment succeeds', async () => {
    const rig = await ZookeeperRig.start(process.env.TEST_ZOOKEEPER_URL ?? '');
    try {
      const process = await rig.join();
      const [left, kept] = [freshKey(), freshKey()];
      const shared = { mode: 'shared' } as const;
      const leaving = await takeLock(process, left, 'w1');
      const staying = await takeLock(process, kept, 'w1', shared);
      const said = await Promise.all(
        [
          acquire(process, freshKey(), 'w1'),
          release(process, left, 'w1', leaving.token),
          acquire(process, left, 'w2'),
          acquire(process, left, TOO_MUCH, { waitMs: 1_000 }),
          renew(process, kept, 'w1', staying.token),
          acquire(process, kept, 'w2', shared),
          acquire(process, kept, TOO_MUCH, shared),
        ].map(async (work) => (await recordAnswer(work as ReturnType<typeof acquire>)).outcome),
      );
      const large = 'TOO_LARGE';
      expect(said.slice(1)).toEqual(['released', 'granted', large, 'renewed', 'granted', large]);
    } finally {
      await rig.close();
    }
  });

  it('is answered TOO_LARGE at once, as is a multi-lock; other calls are granted', async () => {
    const rig = await ZookeeperRig.start(process.env.TEST_ZOOKEEPER_URL ?? '');
    try {
      const process = await rig.join();
      const [large, ...others] = [freshKey(), freshKey(), freshKey(), freshKey()] as const;
      const [refused, ...granted] = await Promise.all([
        recordAnswer(acquire(process, large, TOO_MUCH)),
        ...others.map((key) => recordAnswer(acquire(process, key, 'w1'))),
      ]);
      expect(refused?.outcome).toBe('TOO_LARGE');
      expect(granted.map(({ outcome }) => outcome)).toEqual(['granted', 'granted', 'granted']);
      const { token } = await takeLock(process, large, 'w2');
      expect(token).toBeGreaterThan(0);

      const set = [freshKey(), freshKey(), freshKey()];
      const asked = await recordAnswer(acquireMultiLock(process, set, 'o'.repeat(250_000)));
      expect(asked.outcome).toBe('TOO_LARGE');
      expect(asked.tookMs).toBeLessThan(5_000);
      expect((await takeMultiLock(process, set, 'w3')).grants).toHaveLength(3);
    } finally {
      await rig.close();
    }
  });
});
