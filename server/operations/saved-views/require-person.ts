import { LockyardError } from '../../contract/errors';
import type { ControlContext } from '../operation-context';
import { requireRole } from '../require-role';

/** The id of the signed-in user. @throws LockyardError `FORBIDDEN` for any other caller */
export async function requirePerson(ctx: ControlContext): Promise<string> {
  const actor = await requireRole(ctx, 'viewer');
  if (actor.kind !== 'user') throw new LockyardError('FORBIDDEN', 'Only people have views.');
  return actor.userId;
}
