import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Schema } from '@/db/schema';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { contextOf, openTestRuntime, type TestRuntime, userActor } from '../testing/test-runtime';
import { listAudit } from './list-audit';

const entry = (i: number, parts: Partial<Schema['audit']['$inferInsert']>) => ({
  intent: `intent-${i}`,
  at: i * 1_000,
  actor: 'ada',
  actorKind: 'user' as const,
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

describe.each(TEST_DIALECTS)('the audit log listing over %s', (dialect) => {
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await openTestRuntime(dialect);
    const { db, tables } = runtime.database;
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

  it('contains what happened from one instant until before another', async () => {
    expect(await subjects({ from: 2_000, to: 4_000 })).toEqual([3, 2]);
    expect(await subjects({ from: 7_000 })).toEqual([]);
  });

  it('contains the actions on one lock, by its exact name and namespace', async () => {
    expect(await subjects({ namespace: 'default', subject: 'lock-2' })).toEqual([2]);
    expect(await subjects({ namespace: 'other', subject: 'lock-2' })).toEqual([3]);
  });

  it('finds text in any case, accented letters too, but not other letters', async () => {
    expect(await subjects({ search: 'LOCK-2' })).toEqual([4, 3, 2]);
    expect(await subjects({ search: 'ärger ÜBER' })).toEqual([5]);
    expect(await subjects({ search: 'Arger' })).toEqual([6]);
    for (const search of ['[X]', '*?', '] *']) expect(await subjects({ search })).toEqual([5]);
    for (const search of ['r*r', 'r?er', 'r_er', 'r%r', '[a-z]']) {
      expect(await subjects({ search }), search).toEqual([]);
    }
  });

  it('finds an entry by its request id, whether or not its caller sent one', async () => {
    expect(await subjects({ requestId: 'a"b_c%' })).toEqual([2]);
    expect(await subjects({ requestId: 'aXbYcZ' })).toEqual([]);
    expect(await subjects({ requestId: 'A"b_c%' })).toEqual([]);
    expect(await subjects({ requestId: 'intent-3' })).toEqual([3]);
    const viewer = contextOf(runtime, userActor('viewer'));
    const { rows } = await listAudit(viewer, { limit: 2, from: 2_000, to: 4_000 });
    expect(rows.map(({ requestId }) => requestId)).toEqual(['intent-3', 'a"b_c%']);
  });

  it('is searched page by page, without blocking the process', async () => {
    await addEntries(MANY);
    const found = [];
    let turns = 0;
    let isOver = false;
    const counting = (async () => {
      for (; !isOver; turns += 1) await new Promise(setImmediate);
    })();
    const viewer = contextOf(runtime, userActor('viewer'));
    for (let before: number | undefined; ; ) {
      const { rows, older } = await listAudit(viewer, { limit: 2, search: 'needle', before });
      found.push(...rows.map(({ at }) => at / 1_000));
      if (older === null) break;
      before = older;
    }
    isOver = true;
    await counting;
    expect(found).toEqual([MANY, 1_200, 1_000, 501, 500, 499]);
    if (dialect === 'sqlite') expect(turns).toBeGreaterThan(MANY / 500);
  });

  it('is searched, few entries at a time, no longer than its caller waits', async () => {
    const hangUp = new AbortController();
    const viewer = { ...contextOf(runtime, userActor('viewer')), signal: hangUp.signal };
    const searched = listAudit(viewer, { limit: 50, search: 'needle' });
    await new Promise(setImmediate);
    hangUp.abort();
    expect((await searched).rows.length).toBeLessThan(NEEDLES.size);
  });

  /** Entries up to this one, some of which a search finds. */
  async function addEntries(count: number): Promise<void> {
    const { db, tables } = runtime.database;
    const reasonOf = (i: number) => (NEEDLES.has(i) ? 'a needle' : 'hay');
    for (let from = 101; from <= count; from += 400) {
      const numbers = Array.from({ length: Math.min(400, count - from + 1) }, (_, i) => from + i);
      await db.insert(tables.audit).values(numbers.map((i) => entry(i, { reason: reasonOf(i) })));
    }
  }
});

const MANY = 12_000;
const NEEDLES = new Set([499, 500, 501, 1_000, 1_200, MANY]);
