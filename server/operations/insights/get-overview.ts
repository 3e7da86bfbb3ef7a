import type { Overview } from '../../contract/console/past/overview';
import type { OverviewInput } from '../../contract/console/past/past-inputs';
import { askDatabase } from '../ask-database';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';

/**
 * All locks together over a range of time, and which were waited for most. Read from roll-ups at
 * most every 5 s for an hour and every 5 min for 30 days; `asOf` says when.
 *
 * @throws LockyardError `BACKEND_DOWN` while the control database is not responding
 */
export async function getOverview(
  ctx: OperationContext,
  { range }: OverviewInput,
): Promise<Overview> {
  await requireRole(ctx, 'viewer');
  return askDatabase(() => ctx.runtime.overview.of(range));
}
