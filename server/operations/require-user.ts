import type { UserActor } from '../auth/actor';
import { LockyardError } from '../contract/errors';
import type { ControlContext } from './operation-context';
import { requireRole } from './require-role';

/**
 * The signed-in user.
 *
 * @param what only users have, such as `views`
 * @throws LockyardError as `requireRole`; `FORBIDDEN` for any other caller
 */
export async function requireUser(ctx: ControlContext, what: string): Promise<UserActor> {
  const actor = await requireRole(ctx, 'viewer');
  if (actor.kind !== 'user') throw new LockyardError('FORBIDDEN', `Only users have ${what}.`);
  return actor;
}
