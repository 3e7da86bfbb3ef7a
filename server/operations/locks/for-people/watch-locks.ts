import type { LockListInput } from '../../../contract/console/console-inputs';
import type { TrackedMessage } from '../../../monitoring/lists/live-lists';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';

/**
 * The lock list, then its changes; a message every two seconds as well, so that the list's age can
 * be shown.
 *
 * @param lastId of the last message that was received of this list, if the stream was cut off
 */
export async function* watchLocks(
  ctx: OperationContext,
  input: LockListInput,
  lastId: string | null,
): AsyncGenerator<TrackedMessage, void> {
  await requireRole(ctx, 'viewer');
  yield* ctx.runtime.projection.live.follow(input, lastId, ctx.signal);
}
