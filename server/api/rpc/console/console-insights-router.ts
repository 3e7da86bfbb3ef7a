import { lockInsightInput } from '../../../contract/console/console-inputs';
import { readFleet } from '../../../operations/locks/for-people/get-fleet';
import { readLockInsight } from '../../../operations/locks/for-people/get-lock-insight';
import { consoleProcedure, consoleRouterOf } from './console-procedure';

export const consoleInsightsRouter = consoleRouterOf({
  lock: consoleProcedure
    .input(lockInsightInput)
    .query(({ ctx, input }) => readLockInsight(ctx.operation, input)),
  fleet: consoleProcedure.query(({ ctx }) => readFleet(ctx.operation)),
});
