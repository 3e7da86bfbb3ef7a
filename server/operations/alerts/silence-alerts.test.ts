import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { listAudit } from '../audit/list-audit';
import { createNamespace } from '../namespaces/create-namespace';
import type { OperationContext } from '../operation-context';
import {
  COMMAND_LINE,
  contextOf,
  openTestRuntime,
  type TestRuntime,
} from '../testing/test-runtime';
import { listSilences } from './list-silences';
import { endSilence, silenceAlerts } from './silence-alerts';

describe.each(TEST_DIALECTS)('a silence over %s', (dialect) => {
  let runtime: TestRuntime;
  let root: OperationContext;
  beforeAll(async () => {
    runtime = await openTestRuntime(dialect);
    root = contextOf(runtime, COMMAND_LINE) as OperationContext;
  });
  afterAll(() => runtime.close());

  const silence = { kind: 'stuck', forMs: 60_000, reason: 'planned work' } as const;

  test('that several operators end at the same time is ended and audited once', async () => {
    const { id } = await silenceAlerts(root, silence);
    const ends = await Promise.allSettled(
      Array.from({ length: 6 }, () => endSilence(root, { id })),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { rows } = await listAudit(root, { act: 'alert.endSilence', subject: id, limit: 10 });
    expect(rows.filter(({ outcome }) => outcome === 'done')).toHaveLength(1);
  });

  test('of a namespace that never existed, such as a mistyped one, is refused', async () => {
    const input = { ...silence, namespace: 'biling' };
    await expect(silenceAlerts(root, input)).rejects.toMatchObject({
      reason: 'NOT_FOUND',
      message: 'There is no namespace "biling".',
    });
    expect(await listSilences(root)).toEqual([]);
    expect(await silenceAlerts(root, { ...silence, namespace: 'default' })).toHaveProperty('id');
  });

  test('of a namespace that was removed is accepted: its alerts may still be shown', async () => {
    const { db, tables } = runtime.database;
    await createNamespace(root, { name: 'gone', backend: 'default' });
    const isGone = eq(tables.namespaces.id, 'gone');
    await db.update(tables.namespaces).set({ removedAt: Date.now() }).where(isGone);
    expect(await silenceAlerts(root, { ...silence, namespace: 'gone' })).toHaveProperty('id');
  });
});
