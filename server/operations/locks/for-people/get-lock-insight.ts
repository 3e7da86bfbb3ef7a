import type { LockInsightInput } from '../../../contract/console/console-inputs';
import type { LockInsight } from '../../../contract/console/insight-row';
import { LockyardError } from '../../../contract/errors';
import { askDatabase } from '../../ask-database';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';

/**
 * One lock over a range of time, from the roll-ups and the events that are in none yet; of a lock
 * that was never used it says just that nothing happened. An event is missing until it is in the
 * control database: as a rule for under a second, for 5 s behind a flush that is still under way,
 * and while no process has the chores. Of a lock with over 1,000 events in the last 15 s only the
 * newest 1,000 of these are counted at once.
 *
 * @throws LockyardError `NOT_FOUND` for an unknown namespace, `BACKEND_DOWN` while the control
 *   database is away
 */
export async function getLockInsight(
  ctx: OperationContext,
  { namespace, name, range }: LockInsightInput,
): Promise<LockInsight> {
  await requireRole(ctx, 'viewer');
  const { namespaces, insights, projection, engines, clock } = ctx.runtime;
  const entry = await namespaces.get(namespace);
  const engine = entry && engines.get(entry.backend);
  if (!engine) throw new LockyardError('NOT_FOUND', `There is no namespace "${namespace}".`);
  const now = clock.now() + engine.health().clockOffsetMs;
  const key = { namespace, name };
  const view = await askDatabase(() => insights.ofLock(entry.backend, key, range, now));
  const ownHold = projection.row(namespace, name)?.ownHold ?? null;
  return { range, ...view, ownHold, asOf: clock.now() };
}
