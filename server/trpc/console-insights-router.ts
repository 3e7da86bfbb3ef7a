import { lockInsightInput, watchFleetInput } from '../domain/console-inputs';
import { readFleet } from '../operations/read-fleet';
import { readLockInsight } from '../operations/read-lock-insight';
import { watchFleet } from '../operations/watch-fleet';
import { consoleProcedure, consoleRouterOf } from './console-procedure';
import { liveStream } from './live-stream';

export const consoleInsightsRouter = consoleRouterOf({
  lock: consoleProcedure
    .input(lockInsightInput)
    .query(({ ctx, input }) => readLockInsight(ctx.operation, input)),
  fleet: consoleProcedure.query(({ ctx }) => readFleet(ctx.operation)),
  watchFleet: consoleProcedure
    .input(watchFleetInput)
    .subscription(({ ctx }) => liveStream(ctx, watchFleet(ctx.operation))),
});
