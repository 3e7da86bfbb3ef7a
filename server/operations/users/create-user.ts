import { hashPassword } from '../../auth/passwords/password-hash';
import { checkPassword } from '../../auth/passwords/password-rules';
import type { CreatePersonInput } from '../../contract/console/access-inputs';
import { auditedChange } from '../audit/audited-change';
import { permit } from '../audit/permit';
import type { ControlContext } from '../operation-context';
import { insertUser } from './insert-user';
import { refuseLookalikeName } from './refuse-imitation';

/**
 * Adds a person who may sign in.
 *
 * @throws LockyardError `INVALID` for a weak password or a name of the system, `CONFLICT` for a
 *   name that is taken or could be mistaken for one that is
 */
export async function createUser(
  ctx: ControlContext,
  { name, role, password }: CreatePersonInput,
): Promise<{ id: string }> {
  const { database, clock } = ctx.runtime;
  const what = { act: 'user.create', subject: name, seen: { role } } as const;
  const who = await permit(ctx, 'admin', what);
  checkPassword(password, name);
  const passwordHash = await hashPassword(password);
  return auditedChange(ctx, who, what, async (tx) => {
    await refuseLookalikeName(database, tx, name);
    const user = { name, role, passwordHash, createdAt: clock.now() };
    const id = await insertUser(database, tx, user);
    return { answer: { id }, result: { id, role } };
  });
}
