import type { FleetNow } from '../domain/insight-row';
import { askDatabase } from './ask-database';
import type { OperationContext } from './operation-context';
import { LIVE_PACE, pacedChanges } from './paced-changes';
import { requireRole } from './require-role';

/** All locks together again and again: after changes, and at every beat, so that its age can be shown. */
export async function* watchFleet(ctx: OperationContext): AsyncGenerator<FleetNow, void> {
  await requireRole(ctx, 'viewer');
  const { board, fleet } = ctx.runtime;
  const changes = pacedChanges((listener) => board.subscribe(listener), LIVE_PACE, ctx.signal);
  for await (const _ of changes) yield await askDatabase(() => fleet.now());
}
