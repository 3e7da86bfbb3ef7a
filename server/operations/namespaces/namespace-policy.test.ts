import type { Client } from '@libsql/client/sqlite3';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { setNamespacePolicyInput } from '../../contract/console/access-inputs';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { listAudit } from '../audit/list-audit';
import type { OperationContext } from '../operation-context';
import {
  contextOf,
  insertUserActors,
  openTestRuntime,
  type TestRuntime,
  userActor,
} from '../testing/test-runtime';
import { createNamespace } from './create-namespace';
import { setNamespacePolicy } from './set-namespace-policy';

const POLICY = { ...DEFAULT_POLICY, leaseMaxMs: 60_000, requiredMeta: ['team'] };
const REASON = 'invoices must not hold it for long';

describe.each(TEST_DIALECTS)('the policy of a namespace over %s', (dialect) => {
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await openTestRuntime(dialect);
    await insertUserActors(runtime.database);
    await createNamespace(admin(), { name: 'billing', backend: 'default' });
  });
  afterAll(() => runtime.close());

  const admin = () => contextOf(runtime, userActor('admin'));
  const set = (policy: typeof POLICY | null) =>
    setNamespacePolicy(admin(), { name: 'billing', policy, reason: REASON });

  test('is the default until it is changed, and again once it is removed', async () => {
    expect(runtime.namespaces.policyOf('billing')).toEqual(DEFAULT_POLICY);
    expect(runtime.namespaces.policyOf('unheard-of')).toEqual(DEFAULT_POLICY);
    expect(await set(POLICY)).toEqual({ name: 'billing', policy: POLICY });
    expect(runtime.namespaces.policyOf('billing')).toEqual(POLICY);
    await set(null);
    expect(runtime.namespaces.policyOf('billing')).toEqual(DEFAULT_POLICY);
  });

  test('changed at one process applies at the others within 2 s', async () => {
    const { namespaces } = runtime.anotherProcess();
    await namespaces.refresh();
    const following = namespaces.follow(runtime.log);
    await set(POLICY);
    const startedAt = performance.now();
    while (namespaces.policyOf('billing').leaseMaxMs !== 60_000) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(performance.now() - startedAt).toBeLessThan(8_000);
    }
    await following.stop();
    await set(null);
  });

  test.runIf(dialect === 'sqlite')('is read without those of removed namespaces', async () => {
    const { database, namespaces: directory } = runtime;
    const { namespaces } = database.tables;
    const removed = Array.from({ length: 300 }, (_, i) => ({ id: `old-${i}`, removedAt: 2 }));
    const made = [{ id: 'zebra', createdAt: 3 }, { id: 'antelope', createdAt: 4 }, ...removed];
    await database.db
      .insert(namespaces)
      .values(made.map((row) => ({ backend: 'default', createdAt: 1, ...row })));
    expect(await directory.get('zebra')).not.toBeNull();
    await database.db.update(namespaces).set({ removedAt: 5 }).where(eq(namespaces.id, 'antelope'));
    const client = database.sqlite?.client as Client;
    const asked = vi.spyOn(client, 'execute');
    await directory.refresh();
    const [answer] = await Promise.all(asked.mock.results.map(({ value }) => value));
    asked.mockRestore();
    expect(answer.rows.length).toBeLessThan(10);
    const names = Array.from(directory.all(), ({ name }) => name);
    expect(names.filter((name) => /^(zebra|antelope|old)/.test(name))).toEqual(['zebra']);
  });

  test('stays changed although an earlier read is answered late', async () => {
    const { namespaces: directory, database } = runtime;
    const former = await database.db.select().from(database.tables.namespaces);
    let arrive = () => {};
    const late = new Promise<typeof former>((resolve) => {
      arrive = () => resolve(former);
    });
    const asked = vi.spyOn(database.db, 'select');
    asked.mockImplementationOnce((() => ({ from: () => ({ where: () => late }) })) as never);
    const reading = directory.refresh();
    asked.mockRestore();
    await set(POLICY);
    arrive();
    await reading;
    expect(directory.policyOf('billing')).toEqual(POLICY);
    await set(null);
  });

  test('is changed with an audit entry that has the old and the new one', async () => {
    await set(POLICY);
    const { rows } = await listAudit(admin() as OperationContext, { limit: 1 });
    expect(rows[0]).toMatchObject({
      act: 'namespace.setPolicy',
      subject: 'billing',
      reason: REASON,
      outcome: 'done',
      result: { before: DEFAULT_POLICY, after: POLICY },
    });
    const lastOutcome = async () => {
      const { rows } = await listAudit(admin() as OperationContext, { limit: 1 });
      return rows[0]?.outcome;
    };
    await set(POLICY);
    expect(await lastOutcome()).toBe('not_applied');
    await set(DEFAULT_POLICY);
    await set(null);
    expect(await lastOutcome()).toBe('done');
    await set(null);
    expect(await lastOutcome()).toBe('not_applied');
  });

  test('changed several times at once has a correct audit entry for each change', async () => {
    const limits = [1, 2, 3, 4, 5, 6];
    await Promise.all(limits.map((queueLimit) => set({ ...POLICY, queueLimit })));
    const { rows } = await listAudit(admin() as OperationContext, { limit: limits.length });
    const queueLimits = (side: string) =>
      rows.map(({ result }) => (result[side] as typeof POLICY).queueLimit).sort((a, b) => a - b);
    const { queueLimit: last } = runtime.namespaces.policyOf('billing');
    const [before, after] = [queueLimits('before'), queueLimits('after')];
    expect(after).toEqual(limits);
    // Each change except the first found what another one had left.
    expect([...before, last].sort((a, b) => a - b)).toEqual([...limits, DEFAULT_POLICY.queueLimit]);
    await set(null);
  });

  test('is not changed if others have changed it meanwhile', async () => {
    const change = (queueLimit: number, seen: typeof POLICY | null) => {
      const policy = { ...POLICY, queueLimit };
      return setNamespacePolicy(admin(), { name: 'billing', policy, seen, reason: REASON });
    };
    await change(7, null);
    for (const seen of [null, POLICY]) {
      await expect(change(8, seen)).rejects.toMatchObject({ reason: 'CONFLICT' });
    }
    expect(runtime.namespaces.policyOf('billing').queueLimit).toBe(7);
    // The answer was lost, and the change is sent again.
    await change(7, null);
    await change(8, { ...POLICY, queueLimit: 7 });
    expect(runtime.namespaces.policyOf('billing').queueLimit).toBe(8);
    await set(null);
  });

  test('can be changed only by admins, and only for an existing namespace', async () => {
    const input = { name: 'billing', policy: POLICY, reason: REASON };
    const operator = contextOf(runtime, userActor('operator'));
    await expect(setNamespacePolicy(operator, input)).rejects.toMatchObject({
      reason: 'FORBIDDEN',
    });
    const nowhere = setNamespacePolicy(admin(), { ...input, name: 'nowhere' });
    await expect(nowhere).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });
});

test.each([
  { leaseMinMs: 99 },
  { leaseMaxMs: 86_400_001 },
  { leaseMinMs: 5_000, leaseMaxMs: 4_000 },
  { patienceMaxMs: 600_001 },
  { queueLimit: 2_001 },
  { lockDelayMs: 300_001 },
  { requiredMeta: ['team', 'team'] },
  { requiredMeta: [''] },
  // No JSON that the API takes has such a key, so nothing could be acquired.
  { requiredMeta: ['__proto__'] },
  { leaseMinMs: 100.5 },
  { more: 1 },
])('a policy with %j is refused', (part) => {
  const input = { name: 'billing', policy: { ...DEFAULT_POLICY, ...part }, reason: REASON };
  expect(setNamespacePolicyInput.safeParse(input).success).toBe(false);
  expect(setNamespacePolicyInput.safeParse({ ...input, policy: DEFAULT_POLICY }).success).toBe(
    true,
  );
});
