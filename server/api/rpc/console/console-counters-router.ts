import {
  adjustCounterInput,
  counterListInput,
  counterMovesInput,
  counterRef,
  setCounterBoundsInput,
  setUpCounterInput,
  watchCounterInput,
  watchCountersInput,
} from '../../../contract/console/counter-inputs';
import { adjustCounter } from '../../../operations/counters/for-people/adjust-counter';
import {
  getCounterDetail,
  listCounterMoves,
  listCounters,
  watchCounter,
  watchCounters,
} from '../../../operations/counters/for-people/counter-views';
import { createCounter } from '../../../operations/counters/for-people/create-counter';
import { setCounterBounds } from '../../../operations/counters/for-people/set-counter-bounds';
import { liveStream, withClockIds } from '../live-stream';
import { consoleProcedure, consoleRouterOf } from './console-procedure';

export const consoleCountersRouter = consoleRouterOf({
  list: consoleProcedure
    .input(counterListInput)
    .query(({ ctx, input }) => listCounters(ctx.operation, input)),
  watch: consoleProcedure
    .input(watchCountersInput)
    .subscription(({ ctx, input }) =>
      liveStream(ctx, withClockIds(watchCounters(ctx.operation, input))),
    ),
  detail: consoleProcedure
    .input(counterRef)
    .query(({ ctx, input }) => getCounterDetail(ctx.operation, input)),
  watchDetail: consoleProcedure
    .input(watchCounterInput)
    .subscription(({ ctx, input }) =>
      liveStream(ctx, withClockIds(watchCounter(ctx.operation, input))),
    ),
  moves: consoleProcedure
    .input(counterMovesInput)
    .query(({ ctx, input }) => listCounterMoves(ctx.operation, input)),
  create: consoleProcedure
    .input(setUpCounterInput)
    .mutation(({ ctx, input }) => createCounter(ctx.operation, input)),
  adjust: consoleProcedure
    .input(adjustCounterInput)
    .mutation(({ ctx, input }) => adjustCounter(ctx.operation, input)),
  setBounds: consoleProcedure
    .input(setCounterBoundsInput)
    .mutation(({ ctx, input }) => setCounterBounds(ctx.operation, input)),
});
