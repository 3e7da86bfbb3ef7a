import { expect, it } from 'vitest';
import { TableRig } from '../../testing/table-rig';

it('a lease that expires between reading and evaluating the table is noticed', async () => {
  const turned: string[] = [];
  const rig = new TableRig({
    replaced: () => {},
    turned: ({ key }) => void turned.push(key.name),
  });
  rig.store('brief', { leaseLeftMs: 100 });
  rig.store('long', { leaseLeftMs: 60_000 });
  rig.now += 200;
  await rig.table.refresh();
  expect(turned).toEqual(['brief']);
  await rig.table.refresh();
  expect(turned).toEqual(['brief']);
});
