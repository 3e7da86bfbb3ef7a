import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { contextOf, openTestRuntime, type TestRuntime, userActor } from '../testing/test-runtime';
import { listAudit } from './list-audit';

describe.each(TEST_DIALECTS)('the audit log as it is listed, over %s', (dialect) => {
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await openTestRuntime(dialect);
    const { db, tables } = runtime.database;
    const entry = (i: number, parts: Partial<typeof tables.audit.$inferInsert>) => ({
      intent: `intent-${i}`,
      at: i * 1_000,
      actor: 'ada',
      actorKind: 'user',
      address: 'local',
      act: 'lock.freeze',
      namespace: 'default',
      subject: `lock-${i}`,
      reason: '',
      seen: '{}',
      outcome: 'done',
      result: '{}',
      closedAt: null,
      ...parts,
    });
    await db
      .insert(tables.audit)
      .values([
        entry(1, {}),
        entry(2, { seen: JSON.stringify({ requestId: 'a"b_c%', token: 7 }) }),
        entry(3, { namespace: 'other', subject: 'lock-2' }),
        entry(4, { subject: 'Lock-2' }),
        entry(5, { reason: 'Ärger über [x] *?' }),
        entry(6, { reason: 'argerlich' }),
      ]);
  });
  afterAll(() => runtime.close());

  const subjects = async (input: Partial<Parameters<typeof listAudit>[1]>) => {
    const viewer = contextOf(runtime, userActor('viewer'));
    const { rows } = await listAudit(viewer, { limit: 50, ...input });
    return rows.map(({ at }) => at / 1_000);
  };

  it('has what happened from one instant until before another', async () => {
    expect(await subjects({ from: 2_000, to: 4_000 })).toEqual([3, 2]);
    expect(await subjects({ from: 7_000 })).toEqual([]);
  });

  it('has what was done to one lock, by its exact name and namespace', async () => {
    expect(await subjects({ namespace: 'default', subject: 'lock-2' })).toEqual([2]);
    expect(await subjects({ namespace: 'other', subject: 'lock-2' })).toEqual([3]);
  });

  it('finds text whatever the case of its letters, accented ones too, but not other letters', async () => {
    expect(await subjects({ search: 'LOCK-2' })).toEqual([4, 3, 2]);
    expect(await subjects({ search: 'ärger ÜBER' })).toEqual([5]);
    expect(await subjects({ search: 'Arger' })).toEqual([6]);
    for (const search of ['[X]', '*?', '] *']) expect(await subjects({ search })).toEqual([5]);
    for (const search of ['r*r', 'r?er', 'r_er', 'r%r', '[a-z]']) {
      expect(await subjects({ search }), search).toEqual([]);
    }
  });

  it('finds an entry by its request id, whether its caller sent one or not', async () => {
    expect(await subjects({ requestId: 'a"b_c%' })).toEqual([2]);
    expect(await subjects({ requestId: 'aXbYcZ' })).toEqual([]);
    expect(await subjects({ requestId: 'A"b_c%' })).toEqual([]);
    expect(await subjects({ requestId: 'intent-3' })).toEqual([3]);
    const viewer = contextOf(runtime, userActor('viewer'));
    const { rows } = await listAudit(viewer, { limit: 2, from: 2_000, to: 4_000 });
    expect(rows.map(({ requestId }) => requestId)).toEqual(['intent-3', 'a"b_c%']);
  });
});
