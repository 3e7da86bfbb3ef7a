import { expect, it } from 'vitest';
import { openLeastPrivilegedRedis } from '../conformance/contract/least-privileged-redis';
import { creation, eventOf, freshKey, stored, update } from '../conformance/testing/changes';

const PATIENT_MS = 10_000;
const QUEUE = '[["a waiter"]]';

it('a user who may not MSET, as earlier documentation has it, writes every record', async () => {
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
