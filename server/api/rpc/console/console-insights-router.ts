import { lockInsightInput } from '../../../contract/console/console-inputs';
import { getFleet } from '../../../operations/locks/for-people/get-fleet';
import { getLockInsight } from '../../../operations/locks/for-people/get-lock-insight';
import { consoleProcedure, consoleRouterOf } from './console-procedure';

export const consoleInsightsRouter = consoleRouterOf({
  lock: consoleProcedure
    .input(lockInsightInput)
    .query(({ ctx, input }) => getLockInsight(ctx.operation, input)),
  fleet: consoleProcedure.query(({ ctx }) => getFleet(ctx.operation)),
});
