import { lockInsightInput } from '../../../contract/console/console-inputs';
import { getFleet, getLockInsight } from '../../../operations/locks/for-people/lock-views';
import { consoleProcedure, consoleRouterOf } from './console-procedure';

export const consoleInsightsRouter = consoleRouterOf({
  lock: consoleProcedure
    .input(lockInsightInput)
    .query(({ ctx, input }) => getLockInsight(ctx.operation, input)),
  fleet: consoleProcedure.query(({ ctx }) => getFleet(ctx.operation)),
});
