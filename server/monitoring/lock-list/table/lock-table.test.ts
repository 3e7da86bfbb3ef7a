import { expect, it } from 'vitest';
import { TableRig } from '../../testing/table-rig';

it('a policy applies to every lock, even if it changes right after the first one', async () => {
  const rig = new TableRig();
  rig.stuckAfterMs = 600_000;
  rig.store('index', { heldMs: 120_000, leaseLeftMs: 3_600_000, waiters: 1 });
  await rig.table.refresh();
  const statusNow = async () => {
    rig.now += 500;
    await rig.table.refresh();
    return rig.table.columns.statusOf(0).status;
  };
  rig.stuckAfterMs = 60_000;
  expect(await statusNow()).toBe('stuck');
  rig.stuckAfterMs = 600_000;
  expect(await statusNow()).toBe('contended');
});
