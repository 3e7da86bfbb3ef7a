import {
  extendInput,
  forceReleaseInput,
  freezeInput,
  lockEventsInput,
  lockListInput,
  lockRef,
  noticeInput,
  watchLockInput,
  watchLocksInput,
} from '../domain/console-inputs';
import { chosenNamesInput, deleteNamesInput } from '../domain/deletion-inputs';
import { deleteNames, previewDeletion } from '../operations/delete-names';
import { extendLock } from '../operations/extend-lock';
import { forceReleaseLock } from '../operations/force-release-lock';
import { leaveNotice } from '../operations/leave-notice';
import { listLockEvents } from '../operations/list-lock-events';
import { listLocks } from '../operations/list-locks';
import { readLock } from '../operations/read-lock';
import { setFrozen } from '../operations/set-frozen';
import { watchLock } from '../operations/watch-lock';
import { watchLocks } from '../operations/watch-locks';
import { consoleProcedure, consoleRouterOf } from './console-procedure';
import { byClock, liveStream } from './live-stream';

export const consoleLocksRouter = consoleRouterOf({
  list: consoleProcedure
    .input(lockListInput)
    .query(({ ctx, input }) => listLocks(ctx.operation, input)),
  watch: consoleProcedure
    .input(watchLocksInput)
    .subscription(({ ctx, input: { lastEventId, ...input } }) =>
      liveStream(ctx, watchLocks(ctx.operation, input, lastEventId ?? null)),
    ),
  detail: consoleProcedure.input(lockRef).query(({ ctx, input }) => readLock(ctx.operation, input)),
  watchDetail: consoleProcedure
    .input(watchLockInput)
    .subscription(({ ctx, input }) => liveStream(ctx, byClock(watchLock(ctx.operation, input)))),
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
    .input(noticeInput)
    .mutation(({ ctx, input }) => leaveNotice(ctx.operation, 'askRelease', input)),
  stopRenewals: consoleProcedure
    .input(noticeInput)
    .mutation(({ ctx, input }) => leaveNotice(ctx.operation, 'stopRenewals', input)),
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
