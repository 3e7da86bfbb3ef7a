import {
  extendInput,
  forceReleaseInput,
  freezeInput,
  lockEventsInput,
  lockListInput,
  lockRef,
  releaseRequestInput,
  watchLockInput,
  watchLocksInput,
} from '../../../contract/console/console-inputs';
import { chosenNamesInput, deleteNamesInput } from '../../../contract/console/deletion-inputs';
import { extendLock } from '../../../operations/locks/for-people/extend-lock';
import { forceReleaseLock } from '../../../operations/locks/for-people/force-release-lock';
import {
  getLockDetail,
  listLockEvents,
  listLocks,
  watchLock,
  watchLocks,
} from '../../../operations/locks/for-people/lock-views';
import { requestRelease } from '../../../operations/locks/for-people/request-release';
import { setFrozen } from '../../../operations/locks/for-people/set-frozen';
import { deleteNames, previewDeletion } from '../../../operations/namespaces/delete-names';
import { liveStream, withClockIds } from '../live-stream';
import { consoleProcedure, consoleRouterOf } from './console-procedure';

export const consoleLocksRouter = consoleRouterOf({
  list: consoleProcedure
    .input(lockListInput)
    .query(({ ctx, input }) => listLocks(ctx.operation, input)),
  watch: consoleProcedure
    .input(watchLocksInput)
    .subscription(({ ctx, input: { lastEventId, ...input } }) =>
      liveStream(ctx, watchLocks(ctx.operation, input, lastEventId ?? null)),
    ),
  detail: consoleProcedure
    .input(lockRef)
    .query(({ ctx, input }) => getLockDetail(ctx.operation, input)),
  watchDetail: consoleProcedure
    .input(watchLockInput)
    .subscription(({ ctx, input }) =>
      liveStream(ctx, withClockIds(watchLock(ctx.operation, input))),
    ),
  events: consoleProcedure
    .input(lockEventsInput)
    .query(({ ctx, input }) => listLockEvents(ctx.operation, input)),
  forceRelease: consoleProcedure
    .input(forceReleaseInput)
    .mutation(({ ctx, input }) => forceReleaseLock(ctx.operation, input)),
  extend: consoleProcedure
    .input(extendInput)
    .mutation(({ ctx, input }) => extendLock(ctx.operation, input)),
  askRelease: consoleProcedure
    .input(releaseRequestInput)
    .mutation(({ ctx, input }) => requestRelease(ctx.operation, 'askRelease', input)),
  stopRenewals: consoleProcedure
    .input(releaseRequestInput)
    .mutation(({ ctx, input }) => requestRelease(ctx.operation, 'stopRenewals', input)),
  freeze: consoleProcedure
    .input(freezeInput)
    .mutation(({ ctx, input }) => setFrozen(ctx.operation, 'freeze', input)),
  previewDeletion: consoleProcedure
    .input(chosenNamesInput)
    .query(({ ctx, input }) => previewDeletion(ctx.operation, input)),
  delete: consoleProcedure
    .input(deleteNamesInput)
    .mutation(({ ctx, input }) => deleteNames(ctx.operation, input)),
  unfreeze: consoleProcedure
    .input(freezeInput)
    .mutation(({ ctx, input }) => setFrozen(ctx.operation, 'unfreeze', input)),
});
