import { checkPassword } from '../../auth/passwords/password-rules';
import { checkUserName } from '../../auth/user-name-rules';
import { createUser } from '../../operations/users/create-user';
import type { UserSummary } from '../../operations/users/list-users';
import { removeUser } from '../../operations/users/remove-user';
import { setDisabled } from '../../operations/users/set-disabled';
import { setRole } from '../../operations/users/set-role';
import { generatedPassword } from '../provisioning/user-commands';
import type { WantedUser } from './apply-input';
import { forEntry, type PlannedChange } from './planned-change';

/**
 * The changes that give users their wanted state. The password of an existing user is never
 * changed. Users who cease to be admins are changed last, so that there is always an admin if the
 * file has one.
 *
 * @throws LockyardError with what the changes would be refused: a name that could be mistaken for
 *   another one, here or in the file, or a weak password
 */
export function planUsers(
  wanted: WantedUser[],
  present: UserSummary[],
  env: Record<string, string>,
): PlannedChange[] {
  const names = present.map(({ name }) => name);
  const knownOf = (each: WantedUser) => present.find(({ name }) => name === each.name);
  const leaves = (each: WantedUser) => isAdmin(knownOf(each)) && !isWantedAdmin(each);
  const [leaving, others] = [wanted.filter(leaves), wanted.filter((each) => !leaves(each))];
  return [...others, ...leaving].flatMap((each) => {
    const known = knownOf(each);
    if (known) return changedUser(each, known);
    const { name, password } = each;
    const given = password && env[password.fromEnv];
    checkUserName(name, names);
    names.push(name);
    if (given !== undefined) forEntry(`User ${name}`, () => checkPassword(given, name));
    return [createdUser(each, given)];
  });
}

const isAdmin = (user: UserSummary | undefined): boolean =>
  user?.role === 'admin' && user.disabledAt === null;

const isWantedAdmin = ({ role, disabled }: WantedUser): boolean => role === 'admin' && !disabled;

/** The changes that remove the users that are not wanted. */
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
  given: string | undefined,
): PlannedChange {
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
  const change = { sign: '~', kind: 'user', name } as const;
  const roleChange: PlannedChange = {
    ...change,
    details: [`role ${known.role} -> ${role}`],
    run: async (ctx) => void (await setRole(ctx, { id, role })),
  };
  const accessChange: PlannedChange = {
    ...change,
    details: [disabled ? 'disabled' : 'enabled'],
    run: async (ctx) => void (await setDisabled(ctx, { id, disabled })),
  };
  const changes = [
    ...(role === known.role ? [] : [roleChange]),
    ...(disabled === (known.disabledAt !== null) ? [] : [accessChange]),
  ];
  // A user to be disabled must not get a higher role meanwhile.
  return disabled ? changes.reverse() : changes;
}
