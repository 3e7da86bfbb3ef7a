import { createUser } from '../../operations/users/create-user';
import type { UserSummary } from '../../operations/users/list-users';
import { removeUser } from '../../operations/users/remove-user';
import { setDisabled } from '../../operations/users/set-disabled';
import { setRole } from '../../operations/users/set-role';
import { generatedPassword } from '../provisioning/user-commands';
import type { WantedUser } from './apply-input';
import type { PlannedChange } from './planned-change';

/** What makes users as wanted. The password of one who exists is never changed. */
export function planUsers(
  wanted: WantedUser[],
  present: UserSummary[],
  env: Record<string, string>,
): PlannedChange[] {
  return wanted.flatMap((each) => {
    const known = present.find(({ name }) => name === each.name);
    return known ? changedUser(each, known) : [createdUser(each, env)];
  });
}

/** What removes the users who are not wanted. */
export function planRemovedUsers(wanted: WantedUser[], present: UserSummary[]): PlannedChange[] {
  return present
    .filter(({ name }) => !wanted.some((each) => each.name === name))
    .map(({ id, name, role }) => ({
      sign: '-',
      kind: 'user',
      name,
      details: [role],
      run: async (ctx) => void (await removeUser(ctx, { id })),
    }));
}

function createdUser(
  { name, role, disabled, password }: WantedUser,
  env: Record<string, string>,
): PlannedChange {
  const given = password && env[password.fromEnv];
  return {
    sign: '+',
    kind: 'user',
    name,
    details: [
      role,
      ...(disabled ? ['disabled'] : []),
      password ? `password from $${password.fromEnv}` : 'with a generated password',
    ],
    run: async (ctx) => {
      const secret = given ?? generatedPassword();
      await createUser(ctx, { name, role, password: secret, disabled });
      return given === undefined ? { kind: 'user', name, secret } : undefined;
    },
  };
}

function changedUser(
  { name, role, disabled }: WantedUser,
  { id, ...known }: UserSummary,
): PlannedChange[] {
  const isDisabled = known.disabledAt !== null;
  const change = { sign: '~', kind: 'user', name } as const;
  return [
    ...(role === known.role
      ? []
      : [
          {
            ...change,
            details: [`role ${known.role} -> ${role}`],
            run: async (ctx) => void (await setRole(ctx, { id, role })),
          } satisfies PlannedChange,
        ]),
    ...(disabled === isDisabled
      ? []
      : [
          {
            ...change,
            details: [disabled ? 'disabled' : 'enabled'],
            run: async (ctx) => void (await setDisabled(ctx, { id, disabled })),
          } satisfies PlannedChange,
        ]),
  ];
}
