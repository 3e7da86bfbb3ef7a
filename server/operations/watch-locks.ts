import type { LockListInput } from '../domain/console-inputs';
import type { LockPage } from '../domain/lock-row';
import type { OperationContext } from './operation-context';
import { LIVE_PACE, pacedChanges } from './paced-changes';
import { requireRole } from './require-role';

/** The lock list again and again: after changes, and at every beat, so that its age can be shown. */
export async function* watchLocks(
  ctx: OperationContext,
  input: LockListInput,
): AsyncGenerator<LockPage, void> {
  await requireRole(ctx, 'viewer');
  const { board } = ctx.runtime;
  for await (const _ of pacedChanges(
    (listener) => board.subscribe(listener),
    LIVE_PACE,
    ctx.signal,
  )) {
    yield board.page(input);
  }
}
