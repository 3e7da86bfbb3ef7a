import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { type AlertRules, DEFAULT_ALERT_RULES } from '../../contract/console/alerts/alert-rules';
import { listAudit } from '../audit/list-audit';
import type { OperationContext } from '../operation-context';
import {
  contextOf,
  insertUserActors,
  openTestRuntime,
  type TestRuntime,
  userActor,
} from '../testing/test-runtime';
import { setAlertRules } from './set-alert-rules';

describe.each(TEST_DIALECTS)('alert rules over %s', (dialect) => {
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await openTestRuntime(dialect);
    await insertUserActors(runtime.database);
  });
  afterAll(() => runtime.close());

  test('changed several times at once have a correct audit entry for each change', async () => {
    const admin = contextOf(runtime, userActor('admin')) as OperationContext;
    const waits = [1_000, 2_000, 3_000, 4_000, 5_000, 6_000];
    const set = (waitsOverMs: number) => {
      const rules = { ...DEFAULT_ALERT_RULES, waitsOverMs };
      return setAlertRules(admin, { namespace: 'default', rules, reason: 'busier now' });
    };
    await Promise.all(waits.map(set));
    const { rows } = await listAudit(admin, { limit: waits.length });
    const before = rows.map(({ result }) => (result.before as AlertRules).waitsOverMs);
    // Each change except the first found what another one had left.
    expect(new Set(before).size).toBe(waits.length);
  });

  test('are not changed if others have changed them meanwhile', async () => {
    const admin = contextOf(runtime, userActor('admin')) as OperationContext;
    const rulesWith = (waitsOverMs: number) => ({ ...DEFAULT_ALERT_RULES, waitsOverMs });
    const change = (toMs: number, seenMs?: number) =>
      setAlertRules(admin, {
        namespace: 'default',
        rules: rulesWith(toMs),
        seen: seenMs === undefined ? undefined : rulesWith(seenMs),
        reason: 'busier now',
      });
    await change(7_000);
    await change(8_000, 7_000);
    await expect(change(9_000, 7_000)).rejects.toMatchObject({ reason: 'CONFLICT' });
    // The answer was lost, and the change is sent again.
    expect(await change(8_000, 7_000)).toMatchObject({ rules: { waitsOverMs: 8_000 } });
    expect((await listAudit(admin, { limit: 1 })).rows[0]).toMatchObject({
      outcome: 'not_applied',
    });
  });
});
