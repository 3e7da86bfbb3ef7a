import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import type { UserActor } from '../../auth/actor';
import { listAudit } from '../audit/list-audit';
import type { ControlContext } from '../operation-context';
import { signIn } from '../sessions/sign-in';
import { signOut } from '../sessions/sign-out';
import {
  COMMAND_LINE,
  contextOf,
  openTestRuntime,
  type TestRuntime,
} from '../testing/test-runtime';
import { changePassword } from './change-password';
import { createUser } from './create-user';
import { setDisabled } from './set-disabled';

const PASSWORD = 'seven green kites over Oslo';
const OTHER_PASSWORD = 'eleven brass doors in Porto';

type End = (person: ControlContext, actor: UserActor) => Promise<unknown>;

describe.each(TEST_DIALECTS)('a change of the own password on %s', (dialect) => {
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await openTestRuntime(dialect);
  });
  afterAll(() => runtime.close());

  const ends: [string, End][] = [
    ['was signed out elsewhere', (person) => signOut(person)],
    [
      'is of a user who was disabled',
      (_, { userId: id }) => setDisabled(contextOf(runtime, COMMAND_LINE), { id, disabled: true }),
    ],
  ];

  test.each(ends)('is refused to a session that %s, and begins no other', async (how, end) => {
    const root = contextOf(runtime, COMMAND_LINE);
    const person = { name: how, password: PASSWORD };
    const { id } = await createUser(root, { ...person, role: 'admin' });
    const { session } = await signIn(contextOf(runtime, null), person);
    const actor = await runtime.sessions.resolve(session.value);
    if (!actor) throw new Error('The session is not valid.');
    // As at a process that has not noticed yet.
    const ctx = contextOf(runtime, actor);
    await end(ctx, actor);
    const change = changePassword(ctx, { current: PASSWORD, next: OTHER_PASSWORD });
    await expect(change).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    const { rows } = await listAudit(root, { act: 'session.changePassword', limit: 1 });
    expect(rows).toMatchObject([{ subject: how, outcome: 'refused' }]);
    await setDisabled(root, { id, disabled: false });
    await signIn(contextOf(runtime, null), person);
  });

  test('to the same password is refused, and no session ends', async () => {
    const person = { name: 'same', password: PASSWORD };
    await createUser(contextOf(runtime, COMMAND_LINE), { ...person, role: 'viewer' });
    const { session } = await signIn(contextOf(runtime, null), person);
    const other = await signIn(contextOf(runtime, null), person);
    const ctx = contextOf(runtime, await runtime.sessions.resolve(session.value));
    await expect(changePassword(ctx, { current: PASSWORD, next: PASSWORD })).rejects.toMatchObject({
      reason: 'INVALID',
      message: 'The new password must differ from the current one.',
    });
    for (const { value } of [session, other.session]) {
      expect(await runtime.sessions.resolve(value)).toMatchObject({ name: 'same' });
    }
  });
});
