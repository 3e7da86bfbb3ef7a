import type { BackendHealth } from '../../contract/console/lock-row';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';

/** How each backend is, as last seen by this process. */
export async function listBackends(ctx: OperationContext): Promise<BackendHealth[]> {
  await requireRole(ctx, 'viewer');
  const health = [...ctx.runtime.engines.values()].map((engine) => engine.health());
  return health.sort((a, b) => (a.id < b.id ? -1 : 1));
}
