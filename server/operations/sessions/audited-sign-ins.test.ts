import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { listAudit } from '../audit/list-audit';
import {
  COMMAND_LINE,
  contextOf,
  openTestRuntime,
  type TestRuntime,
} from '../testing/test-runtime';
import { createUser } from '../users/create-user';
import { signIn } from './sign-in';

const PASSWORD = 'seven green kites over Oslo';

describe.each(TEST_DIALECTS)('the audit log of sign-ins on %s', (dialect) => {
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await openTestRuntime(dialect);
  });
  afterAll(() => runtime.close());

  test('names the user whose session was ended by a sign-in in the same browser', async () => {
    const root = contextOf(runtime, COMMAND_LINE);
    for (const name of ['Ana', 'Bo'])
      await createUser(root, { name, role: 'viewer', password: PASSWORD });
    const enter = async (name: string, cookie: string | null) => {
      const ctx = contextOf(runtime, await runtime.sessions.resolve(cookie));
      return (await signIn(ctx, { name, password: PASSWORD })).session.value;
    };
    await enter('Bo', await enter('Ana', null));
    const { rows } = await listAudit(root, { act: 'session.signIn', limit: 2 });
    expect(rows.map(({ subject, result }) => [subject, result])).toEqual([
      ['Bo', { endedSessionOf: 'Ana' }],
      ['Ana', {}],
    ]);
  });
});
