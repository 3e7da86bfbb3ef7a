import { expect, test } from 'vitest';
import { lockListInput } from '../../contract/console/console-inputs';
import { TableRig } from '../testing/table-rig';

const SAMPLE_EVERY_MS = 10_000;

/** The trends that a list shows after queues of these lengths, one every 10 s. */
async function trendsAfter(queues: Record<string, number[]>) {
  const rig = new TableRig();
  const steps = Math.max(...Object.values(queues).map(({ length }) => length));
  rig.store('idle');
  for (let step = 0; step < steps; step += 1) {
    for (const [name, lengths] of Object.entries(queues)) {
      const waiters = lengths[step];
      if (waiters !== undefined) rig.store(name, { waiters });
    }
    await rig.table.refresh();
    rig.now += SAMPLE_EVERY_MS;
  }
  const { rows } = await rig.lists.page(lockListInput.parse({}), false);
  return Object.fromEntries(rows.map(({ name, queueTrend }) => [name, queueTrend]));
}

test('a queue that grew or shrank in the last minute has a trend, a steady one none', async () => {
  const trends = await trendsAfter({
    growing: [1, 1, 2, 3, 4, 5, 6, 7],
    shrinking: [9, 8, 7, 6, 5, 4, 3, 2],
    steady: [3, 3, 3, 3, 3, 3, 3, 3],
  });
  expect(trends).toMatchObject({ growing: 6, shrinking: -6 });
  for (const name of ['steady', 'idle']) expect(trends[name]).toBeUndefined();
});

test('a queue has no trend before it has been watched for a minute', async () => {
  const trends = await trendsAfter({ growing: [1, 2, 3, 4, 5] });
  expect(trends.growing).toBeUndefined();
});

test('a queue that has become empty is forgotten within a minute', async () => {
  const emptied = [5, 4, 3, 2, 1, 0, 0];
  expect((await trendsAfter({ emptied })).emptied).toBeLessThan(0);
  const later = await trendsAfter({ emptied: [...emptied, 0, 0, 0, 0, 0, 0] });
  expect(later.emptied).toBeUndefined();
});
