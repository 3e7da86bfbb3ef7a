import { expect, it, vi } from 'vitest';
import { openLeastPrivilegedRedis } from '../conformance/contract/least-privileged-redis';
import {
  created,
  creation,
  eventOf,
  freshKey,
  readOne,
  stored,
  update,
} from '../conformance/testing/changes';
import { RedisRig } from '../conformance/testing/redis-rig';

const PATIENT_MS = 10_000;
const SOON = { timeout: 25_000, interval: 20 };
const QUEUE = '[["a waiter"]]';

it('a user without MSET, as in earlier documentation, can write every record', async () => {
  const { store, close } = await openLeastPrivilegedRedis(PATIENT_MS, 'mset');
  try {
    const births = [QUEUE, ''].map((queue) =>
      creation(freshKey(), { queue, events: [eventOf(1)] }),
    );
    const born = await store.swap(births);
    const updates = births.map((change) => update(change.key, change, { events: [eventOf(2)] }));
    const moved = await store.swap(updates);
    expect([...born, ...moved].map(({ applied }) => applied)).toEqual([true, true, true, true]);
    for (const [i, { key, writer }] of updates.entries()) {
      expect(await stored(store, key)).toEqual({
        ...{ rev: 2, writer, head: 'head', queue: births[i]?.queue },
      });
    }
    expect(await store.historyAfter(0, 10)).toHaveLength(2);
  } finally {
    await close();
  }
}, 30_000);

const RIGHTS = ['xadd', 'hincrby', 'set', 'zadd', 'pexpireat', 'del', 'zrem', 'hset'];

it.each(RIGHTS)(
  'a user who may not run %s is refused before anything is written',
  async (right) => {
    const { store, close } = await openLeastPrivilegedRedis(PATIENT_MS, right);
    try {
      const refused = { applied: 'no', refusal: expect.stringContaining(right.toUpperCase()) };
      await expect(store.swap([creation(freshKey())])).rejects.toMatchObject(refused);
      await expect(store.read([freshKey()], [])).rejects.toMatchObject(refused);
    } finally {
      await close();
    }
  },
);

it('a right that is revoked during use leaves no record without its history', async () => {
  const rig = await RedisRig.start({
    settings: ['--user', 'locker', 'on', '>right', '~*', '+@all'],
  });
  try {
    const url = rig.server.url.replace('//', '//locker:right@');
    const { store } = await rig.join(url);
    const key = freshKey();
    await vi.waitFor(() => created(store, freshKey()), SOON);
    await rig.asAdmin((admin) => admin.call('ACL', 'SETUSER', 'locker', '-xadd'));
    const change = creation(key, { events: [eventOf(1)] });
    await expect(store.swap([change])).rejects.toMatchObject({ applied: 'unknown' });
    const refused = { applied: 'no', refusal: expect.stringContaining('XADD') };
    await expect(store.swap([change])).rejects.toMatchObject(refused);
    await rig.asAdmin((admin) => admin.call('ACL', 'SETUSER', 'locker', '+xadd'));
    expect((await readOne(store, key)).record).toBe(null);
    expect(await store.swap([change])).toMatchObject([{ applied: true }]);
  } finally {
    await rig.close();
  }
});
