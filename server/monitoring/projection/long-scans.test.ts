import { setTimeout } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { release, takeLock } from '../../engine/testing/engine-rig';
import { FaultyStore } from '../../engine/testing/faulty-store';
import { creation, freshKey } from '../../storage/conformance/testing/changes';
import type { Cursor } from '../../storage/record-store';
import { MonitoringRig } from '../testing/monitoring-rig';

const RECORDS = 2_000;

/** The driver of an SQLite file blocks this thread, and its promises resolve within one turn. */
it('jobs that read every record of an SQLite file let other work in between', async () => {
  const rig = await MonitoringRig.open('sqlite');
  await rig.engines.under.store.swap(Array.from({ length: RECORDS }, () => creation(freshKey())));
  let [turn, isOver] = [0, false];
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  const pages = new Map<number, number>();
  const scan = vi.spyOn(FaultyStore.prototype, 'scan');
  scan.mockImplementation(function scanned(this: FaultyStore, cursor: Cursor, limit: number) {
    if (cursor.namespace === null) pages.set(turn, (pages.get(turn) ?? 0) + 1);
    return rig.engines.under.store.scan(cursor, limit);
  });
  try {
    // The projection reads all records, and so does the clean-up of the process that maintains.
    await rig.watch();
    const read = () => [...pages.values()].reduce((sum, each) => sum + each, 0);
    await vi.waitFor(() => expect(read()).toBeGreaterThanOrEqual(14), 60_000);
    // These records are small: some pages fit into one slice.
    expect(Math.max(...pages.values())).toBeLessThan(6);
  } finally {
    isOver = true;
    scan.mockRestore();
    await rig.close();
  }
});

it('a lock is shown correctly while a new process first reads all others', async () => {
  const rig = await MonitoringRig.open('sqlite');
  const { store } = rig.engines.under;
  await store.swap(Array.from({ length: RECORDS }, () => creation(freshKey())));
  const key = { ...freshKey(), name: '!is read first' };
  const other = await rig.engines.join();
  const { token } = await takeLock(other, key, 'w1', { leaseMs: 60_000 });
  const scan = vi.spyOn(FaultyStore.prototype, 'scan');
  scan.mockImplementation(async (cursor: Cursor) => {
    await setTimeout(20);
    return store.scan(cursor, 1);
  });
  try {
    const { projection } = (await rig.watch()).monitoring;
    const shown = () => [
      projection.row(key.namespace, key.name)?.status,
      projection.isRead('default'),
    ];
    await vi.waitFor(() => expect(shown()).toEqual(['held', false]), 20_000);
    await release(other, key, 'w1', token);
    await vi.waitFor(() => expect(shown()).toEqual(['free', false]), 20_000);
    scan.mockRestore();
    await vi.waitFor(() => expect(shown()).toEqual(['free', true]), 20_000);
  } finally {
    scan.mockRestore();
    await rig.close();
  }
});
