import type { CliActor, SystemActor, UserActor } from '../auth/actor';
import { ROLES, type Role } from '../contract/console/console-terms';
import { LockyardError } from '../contract/errors';
import type { ControlContext } from './operation-context';

/** The actors that may use console operations: a person, the command line, the server. */
export type ConsoleActor = UserActor | CliActor | SystemActor;

/**
 * The caller, if it has at least this role.
 *
 * @throws LockyardError `UNAUTHENTICATED` when the caller is not signed in, `FORBIDDEN` for a
 *   lesser role or an API key, `BACKEND_DOWN` when more than reading is requested and the sign-in
 *   cannot be checked now
 */
export async function requireRole(ctx: ControlContext, role: Role): Promise<ConsoleActor> {
  const { actor } = ctx;
  if (!actor) throw new LockyardError('UNAUTHENTICATED', 'Sign in first.');
  if (actor.kind === 'service') {
    throw new LockyardError('FORBIDDEN', 'An API key cannot be used for this.');
  }
  if (actor.kind !== 'user') return actor;
  if (ROLES.indexOf(actor.role) < ROLES.indexOf(role)) {
    throw new LockyardError('FORBIDDEN', `Requires the ${role} role; yours is ${actor.role}.`);
  }
  if (actor.stale && role !== 'viewer') {
    throw new LockyardError('BACKEND_DOWN', 'Your session cannot be verified at the moment.', {
      retryAfterMs: 1_000,
    });
  }
  return actor;
}
