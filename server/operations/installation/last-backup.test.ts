import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { CLOCKS_APART_MAX_MS } from '../../platform/clock';
import { contextOf, openTestRuntime, type TestRuntime, userActor } from '../testing/test-runtime';
import { lastBackupAt } from './last-backup';

describe.each(TEST_DIALECTS)('the last backup over %s', (dialect) => {
  let runtime: TestRuntime;
  let now: number;

  beforeAll(async () => {
    runtime = await openTestRuntime(dialect);
    now = runtime.clock.now();
  });
  afterAll(() => runtime.close());

  it('is the last that was made, and not by a clock that has been set back since', async () => {
    const admin = contextOf(runtime, userActor('admin'));
    await addEntries({ at: now - 1_000, outcome: 'failed' });
    expect(await lastBackupAt(admin)).toBeNull();
    await addEntries(
      { at: now - 3_000 },
      { at: now - 2_000 },
      { at: now + CLOCKS_APART_MAX_MS + 1 },
      { at: now, act: 'config.apply' },
    );
    expect(await lastBackupAt(admin)).toBe(now - 2_000);
    await addEntries({ at: now + CLOCKS_APART_MAX_MS });
    expect(await lastBackupAt(admin)).toBe(now + CLOCKS_APART_MAX_MS);
  });

  it('is looked for in steps, which end when the caller hangs up', async () => {
    const admin = contextOf(runtime, userActor('admin'));
    expect(await lastBackupAt({ ...admin, signal: AbortSignal.abort() })).toBeNull();
  });

  async function addEntries(...parts: { at: number; act?: string; outcome?: string }[]) {
    const { db, tables } = runtime.database;
    const rows = parts.map((part) => ({
      intent: crypto.randomUUID().slice(0, 23),
      actor: 'ada',
      actorKind: 'user' as const,
      address: 'local',
      act: 'backup.make',
      namespace: null,
      subject: '',
      reason: '',
      seen: '{}',
      outcome: 'done',
      result: '{}',
      closedAt: null,
      ...part,
    }));
    await db.insert(tables.audit).values(rows);
  }
});
