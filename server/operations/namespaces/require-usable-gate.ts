import { LockyardError } from '../../contract/errors';
import type { ControlRuntime } from '../operation-context';

/**
 * Refuses a gate that would do nothing in front of a namespace on this backend.
 *
 * @param gate null: none, which is always possible
 * @throws LockyardError `NOT_FOUND` for a gate that is not configured, `INVALID` for a backend that
 *   is not MySQL or MariaDB
 */
export function requireUsableGate(
  { gates, backends, database }: ControlRuntime['config'],
  backend: string,
  gate: string | null,
): void {
  if (gate === null) return;
  if (!gates.some(({ id }) => id === gate)) {
    const advice = 'Name its Redis in LOCKYARD_GATE_<ID>, and restart the server.';
    throw new LockyardError('NOT_FOUND', `Gate "${gate}" is not configured. ${advice}`);
  }
  const found = backends.find(({ id }) => id === backend);
  const isSharded = found?.shards !== undefined;
  const url = backend === 'default' ? database : isSharded ? null : found?.url;
  if (isSharded || url?.kind === 'mysql') return;
  const text = `gate: the namespace is on backend "${backend}", which is not MySQL or MariaDB.`;
  throw new LockyardError('INVALID', text);
}
