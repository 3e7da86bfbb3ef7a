import type { FleetNow } from '../../../contract/console/insight-row';
import { askDatabase } from '../../ask-database';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';

/** All locks together, now and over the last hour. */
export async function getFleet(ctx: OperationContext): Promise<FleetNow> {
  await requireRole(ctx, 'viewer');
  return askDatabase(() => ctx.runtime.fleet.now());
}
