import { printable } from '../../../client/command/terminal/printable';
import { randomText } from '../../auth/random-text';
import { LockyardError } from '../../contract/errors';
import type { ControlContext } from '../../operations/operation-context';
import { createUser } from '../../operations/users/create-user';
import { listUsers, type UserSummary } from '../../operations/users/list-users';
import { removeUser } from '../../operations/users/remove-user';
import { resetPassword } from '../../operations/users/reset-password';
import { setDisabled } from '../../operations/users/set-disabled';
import { setRole } from '../../operations/users/set-role';
import type { CliAnswer } from '../cli-answer';
import { createIfMissing } from './create-if-missing';
import type { InputOf } from './provisioning-command';
import { textFields, textTable } from './text-table';

/** 119 bits of randomness. */
const PASSWORD_CHARS = 20;

export const generatedPassword = () => randomText(PASSWORD_CHARS);

export async function listAllUsers(ctx: ControlContext): Promise<CliAnswer> {
  const users = await listUsers(ctx);
  const rows = users.map(({ id: _, ...row }) => row);
  return { text: textTable(rows), data: { users } };
}

export async function showUser(
  ctx: ControlContext,
  { name }: InputOf<'users show'>,
): Promise<CliAnswer> {
  const user = await userNamed(ctx, name);
  return { text: textFields({ ...user }), data: { user } };
}

/** Prints the password, if it was generated. */
export function createUserIfMissing(
  ctx: ControlContext,
  { ifMissing, password, ...wanted }: InputOf<'users create'>,
): Promise<CliAnswer> {
  const find = async () => {
    const known = await findUser(ctx, wanted.name);
    if (!known) return null;
    if (known.role === wanted.role) {
      const note = `User "${printable(wanted.name)}" exists already; nothing was changed.`;
      return { text: null, note, data: { created: false, id: known.id } };
    }
    throw new LockyardError('CONFLICT', `User "${wanted.name}" exists with role ${known.role}.`);
  };
  const create = async () => {
    const { password: given = generatedPassword() } = { password };
    const { id } = await createUser(ctx, { ...wanted, password: given });
    const data = { created: true, id };
    if (password === undefined) return { text: given, data: { ...data, password: given } };
    return { text: null, note: `User "${printable(wanted.name)}" created.`, data };
  };
  return createIfMissing(ifMissing, find, create);
}

export async function changeUser(
  ctx: ControlContext,
  { name, role, disabled }: InputOf<'users change'>,
): Promise<CliAnswer> {
  const { id } = await userNamed(ctx, name);
  // Disable before changing the role: a user to be disabled must not get a higher role meanwhile.
  if (disabled === true) await setDisabled(ctx, { id, disabled });
  if (role !== undefined) await setRole(ctx, { id, role });
  if (disabled === false) await setDisabled(ctx, { id, disabled });
  const now = [
    ...(role === undefined ? [] : [`role ${role}`]),
    ...(disabled === undefined ? [] : [disabled ? 'disabled' : 'enabled']),
  ];
  const note = `User "${printable(name)}" changed: ${now.join(', ')}.`;
  return { text: null, note, data: { id } };
}

export async function removeNamedUser(
  ctx: ControlContext,
  { name }: InputOf<'users remove'>,
): Promise<CliAnswer> {
  const { id } = await userNamed(ctx, name);
  const removed = await removeUser(ctx, { id });
  return { text: null, note: `User "${printable(name)}" removed.`, data: { ...removed } };
}

/** Prints the password, if it was generated. */
export async function resetUserPassword(
  ctx: ControlContext,
  { name, password }: InputOf<'users reset-password'>,
): Promise<CliAnswer> {
  const { id } = await userNamed(ctx, name);
  const given = password ?? generatedPassword();
  await resetPassword(ctx, { id, password: given });
  if (password === undefined) return { text: given, data: { id, password: given } };
  return { text: null, note: `The password of "${printable(name)}" was reset.`, data: { id } };
}

async function findUser(ctx: ControlContext, name: string): Promise<UserSummary | undefined> {
  return (await listUsers(ctx)).find((user) => user.name === name);
}

async function userNamed(ctx: ControlContext, name: string): Promise<UserSummary> {
  const user = await findUser(ctx, name);
  if (user) return user;
  throw new LockyardError('NOT_FOUND', `There is no user "${name}".`);
}
