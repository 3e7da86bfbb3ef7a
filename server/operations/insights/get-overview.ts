import type { Overview } from '../../contract/console/past/overview';
import type { OverviewInput } from '../../contract/console/past/past-inputs';
import { askDatabase } from '../ask-database';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';

/**
 * All locks together over a range of time, and which were waited for most. Read from roll-ups at
 * most every 5 s for an hour and every 5 min for 30 days; `asOf` says when. With `at`, over a range
 * that ended then.
 *
 * @throws LockyardError `BACKEND_DOWN` while the control database is not responding
 */
export async function getOverview(
  ctx: OperationContext,
  { range, at }: OverviewInput,
): Promise<Overview> {
  await requireRole(ctx, 'viewer');
  const { overview, pastView } = ctx.runtime;
  return askDatabase(async () => {
    if (at === undefined) return overview.of(range);
    await pastView.checkMinutes(at);
    return overview.asOf(range, at);
  });
}
