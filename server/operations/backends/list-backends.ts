import type { BackendCourses, BackendHealth } from '../../contract/console/backend-health';
import type { GuaranteeRow } from '../../contract/console/guarantee-row';
import { LockyardError } from '../../contract/errors';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';

/** The health of each backend, as this process last saw it. */
export async function listBackends(ctx: OperationContext): Promise<BackendHealth[]> {
  await requireRole(ctx, 'viewer');
  const healths = ctx.runtime.projection.healths();
  return healths.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** How fast each backend responded to this process over the last hour. */
export async function listBackendCourses(ctx: OperationContext): Promise<BackendCourses> {
  await requireRole(ctx, 'viewer');
  return ctx.runtime.latencies.now();
}

/** What each backend can guarantee with its settings, as this process last read them. */
export async function listGuarantees(ctx: OperationContext): Promise<GuaranteeRow[]> {
  await requireRole(ctx, 'viewer');
  const rows = [...ctx.runtime.guarantees.values()].map((watch) => watch.row());
  return rows.sort((a, b) => (a.backend < b.backend ? -1 : 1));
}

/**
 * Reads a backend's settings now rather than within the minute. It changes nothing, so it is not in
 * the audit log; simultaneous requests share one reading.
 *
 * @throws LockyardError `FORBIDDEN` below operator, `NOT_FOUND` for an unknown backend
 */
export async function refreshGuarantees(
  ctx: OperationContext,
  { backend }: { backend: string },
): Promise<GuaranteeRow> {
  await requireRole(ctx, 'operator');
  const watch = ctx.runtime.guarantees.get(backend);
  if (!watch) throw new LockyardError('NOT_FOUND', `There is no backend "${backend}".`);
  await watch.read();
  return watch.row();
}
