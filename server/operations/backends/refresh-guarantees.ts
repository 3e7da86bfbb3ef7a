import type { GuaranteeRow } from '../../contract/console/guarantee-row';
import { LockyardError } from '../../contract/errors';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';

/**
 * Reads a backend's settings now rather than within the minute. It changes nothing, so it is not in
 * the audit log; those who ask at the same time share one reading.
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
