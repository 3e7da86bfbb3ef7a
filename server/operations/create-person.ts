import { hashPassword } from '../auth/password-hash';
import { checkPassword } from '../auth/password-rules';
import type { CreatePersonInput } from '../domain/access-inputs';
import { auditActor } from './audit-log';
import { auditedChange } from './audited-change';
import { insertUser } from './insert-user';
import type { ControlContext } from './operation-context';
import { permit } from './with-audit';

/** Adds a person who may sign in. Throws `INVALID` for a weak password, `CONFLICT` when the name is taken. */
export async function createPerson(
  ctx: ControlContext,
  { name, role, password }: CreatePersonInput,
): Promise<{ id: string }> {
  const { database, clock } = ctx.runtime;
  const what = { act: 'user.create', subject: name, seen: { role } } as const;
  const who = auditActor(await permit(ctx, 'admin', what));
  checkPassword(password, name);
  const passwordHash = await hashPassword(password);
  return auditedChange(ctx, who, what, async (tx) => {
    const user = { name, role, passwordHash, createdAt: clock.now() };
    const id = await insertUser(database, tx, user);
    return { answer: { id }, result: { id, role } };
  });
}
