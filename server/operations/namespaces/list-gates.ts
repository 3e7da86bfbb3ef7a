import type { GateOption } from '../../contract/console/counter-row';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';

/** The gates that the policy of a namespace may name on this server, by id. */
export async function listGates(ctx: OperationContext): Promise<GateOption[]> {
  await requireRole(ctx, 'viewer');
  return ctx.runtime.gates.ids.map((id) => ({ id }));
}
