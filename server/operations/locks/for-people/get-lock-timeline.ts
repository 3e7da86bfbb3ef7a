import type { LockTimeline } from '../../../contract/console/past/lock-timeline';
import type { LockTimelineInput } from '../../../contract/console/past/past-inputs';
import { noNamespace } from '../../../monitoring/projection/monitored-backend';
import { askDatabase } from '../../ask-database';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';

/**
 * Who held a lock and who waited for it over a span of time, and what operators did; from the
 * recorded events. An event is missing until it is in the control database: see `getLockInsight`.
 * Of a span with over 6,000 events only the newest are read; from `since` on none is missing.
 *
 * @throws LockyardError `NOT_FOUND` for a namespace that never existed, `BACKEND_DOWN` while the
 *   control database is not responding
 */
export async function getLockTimeline(
  ctx: OperationContext,
  { namespace, name, spanMs, to: until }: LockTimelineInput,
): Promise<LockTimeline> {
  await requireRole(ctx, 'viewer');
  const { namespaces, past, incidents, projection, clock } = ctx.runtime;
  const backend = await namespaces.keeperOf(namespace);
  if (backend === null) throw noNamespace(namespace);
  const key = { namespace, name };
  // The events of a backend that is no longer configured are kept.
  const to = until ?? clock.now() + projection.clockOffsetMs(backend, key);
  const from = to - spanMs;
  const timeline = await askDatabase(() => past.timeline(key, from, to));
  const refused = await askDatabase(() => past.refused(backend, key, from, to));
  const deaths = await askDatabase(() => incidents.deathsOf(backend, key, from, to));
  return { ...timeline, refused, deaths, asOf: clock.now() };
}
