import type { GuaranteeRow } from '../../contract/console/guarantee-row';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';

/** What each backend can promise, as its settings were last read by this process. */
export async function listGuarantees(ctx: OperationContext): Promise<GuaranteeRow[]> {
  await requireRole(ctx, 'viewer');
  const rows = [...ctx.runtime.guarantees.values()].map((watch) => watch.row());
  return rows.sort((a, b) => (a.backend < b.backend ? -1 : 1));
}
