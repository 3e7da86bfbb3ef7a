import { lockInsightInput } from '../domain/console-inputs';
import { readFleet } from '../operations/read-fleet';
import { readLockInsight } from '../operations/read-lock-insight';
import { consoleProcedure, consoleRouterOf } from './console-procedure';

export const consoleInsightsRouter = consoleRouterOf({
  lock: consoleProcedure
    .input(lockInsightInput)
    .query(({ ctx, input }) => readLockInsight(ctx.operation, input)),
  fleet: consoleProcedure.query(({ ctx }) => readFleet(ctx.operation)),
});
