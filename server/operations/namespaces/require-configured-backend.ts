import { LockyardError } from '../../contract/errors';
import type { ControlRuntime } from '../operation-context';

/**
 * Refuses a backend that this server does not have.
 *
 * @throws LockyardError `NOT_FOUND`
 */
export function requireConfiguredBackend(
  { backends }: ControlRuntime['config'],
  backend: string,
): void {
  if (backend === 'default' || backends.some(({ id }) => id === backend)) return;
  const advice = 'Name its store in LOCKYARD_BACKEND_<ID>, and restart the server.';
  throw new LockyardError('NOT_FOUND', `Backend "${backend}" is not configured. ${advice}`);
}
