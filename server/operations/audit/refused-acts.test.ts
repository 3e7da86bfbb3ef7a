import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import type { AuditEntry } from '../../contract/console/audit-entry';
import { createApiKey } from '../api-keys/create-api-key';
import { contextOf, openTestRuntime, type TestRuntime, userActor } from '../testing/test-runtime';
import { listAudit } from './list-audit';
import { permit } from './permit';

describe.each(TEST_DIALECTS)('refused actions on %s', (dialect) => {
  let runtime: TestRuntime;
  beforeEach(async () => {
    runtime = await openTestRuntime(dialect);
  });
  afterEach(() => runtime.close());

  const vera = userActor('viewer');
  const oleg = userActor('operator');
  const refuse = async (name: string, actor = vera, address = '192.0.2.1') => {
    const act = createApiKey(contextOf(runtime, actor, address), { name, namespaces: ['default'] });
    await expect(act).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  };
  const entries = async (): Promise<AuditEntry[]> =>
    (await listAudit(contextOf(runtime, userActor('admin')), { limit: 100 })).rows;

  test('of one user and kind are one entry a minute, with a count', async () => {
    for (let i = 0; i < 30; i += 1) await refuse('same');
    await Promise.all(Array.from({ length: 30 }, () => refuse('same')));
    await runtime.refusedActs.write();
    const [entry, ...others] = await entries();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ actor: 'a viewer', act: 'key.create', outcome: 'refused' });
    expect(entry?.result).toMatchObject({ count: 60 });
  });

  test('that arrive while their count is written are in the count at last', async () => {
    for (let round = 0; round < 20; round += 1) {
      const refuseAfter = async (turns: number) => {
        for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
        await refuse('same');
        await runtime.refusedActs.write();
      };
      await Promise.all(Array.from({ length: 20 }, (_, i) => refuseAfter(3 * i)));
      runtime.clock.pass(60_000);
    }
    expect((await entries()).map(({ result }) => result.count)).toEqual(Array(20).fill(20));
  });

  test('are an entry at once, and one for each minute', async () => {
    await refuse('first');
    expect(await entries()).toHaveLength(1);
    runtime.clock.pass(59_999);
    await refuse('second');
    runtime.clock.pass(1);
    await refuse('third');
    await runtime.refusedActs.write();
    expect((await entries()).map(({ subject, result }) => [subject, result.count])).toEqual([
      ['third', undefined],
      ['first', 2],
    ]);
  });

  test('come before anything else that is wrong with the input', async () => {
    const input = { name: 'late', namespaces: ['default'], expiresAt: runtime.clock.now() - 1 };
    const act = createApiKey(contextOf(runtime, vera), input);
    await expect(act).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    expect(await entries()).toMatchObject([{ subject: 'late', outcome: 'refused' }]);
  });

  test('of two users are two entries', async () => {
    await refuse('same');
    await refuse('same', oleg);
    expect((await entries()).map(({ actor }) => actor)).toEqual(['a operator', 'a viewer']);
  });

  test('name up to twenty other attempts, with their addresses', async () => {
    await refuse('first');
    await refuse('second', vera, '192.0.2.2');
    for (let i = 0; i < 30; i += 1) await refuse(`key ${i}`);
    await runtime.refusedActs.write();
    const [entry] = await entries();
    expect(entry).toMatchObject({ subject: 'first', address: '192.0.2.1' });
    expect(entry?.result).toMatchObject({
      count: 32,
      alsoTried: expect.arrayContaining(['second', 'key 0']),
      alsoFrom: ['192.0.2.2'],
    });
    expect(entry?.result.alsoTried).toHaveLength(20);
  });

  test('are recorded with as much of a long name as fits', async () => {
    const subject = `backendUnknown in ${'n'.repeat(62)} of ${'é'.repeat(100)}`;
    const act = permit(contextOf(runtime, vera), 'operator', { act: 'alert.silence', subject });
    await expect(act).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    const [entry] = await entries();
    expect(subject.startsWith(entry?.subject ?? '?')).toBe(true);
    expect(Buffer.byteLength(entry?.subject ?? '')).toBe(254);
  });
});
