import {
  adjustCounterInput,
  counterListInput,
  counterMovesInput,
  counterRef,
  setCounterBoundsInput,
  setUpCounterInput,
  watchCounterInput,
  watchCountersInput,
} from '../domain/counter-inputs';
import { adjustCounter } from '../operations/adjust-counter';
import { listCounterMoves } from '../operations/list-counter-moves';
import { listCounters } from '../operations/list-counters';
import { readCounter } from '../operations/read-counter';
import { setCounterBounds } from '../operations/set-counter-bounds';
import { setUpCounter } from '../operations/set-up-counter';
import { watchCounter } from '../operations/watch-counter';
import { watchCounters } from '../operations/watch-counters';
import { consoleProcedure, consoleRouterOf } from './console-procedure';
import { byClock, liveStream } from './live-stream';

export const consoleCountersRouter = consoleRouterOf({
  list: consoleProcedure
    .input(counterListInput)
    .query(({ ctx, input }) => listCounters(ctx.operation, input)),
  watch: consoleProcedure
    .input(watchCountersInput)
    .subscription(({ ctx, input }) =>
      liveStream(ctx, byClock(watchCounters(ctx.operation, input))),
    ),
  detail: consoleProcedure
    .input(counterRef)
    .query(({ ctx, input }) => readCounter(ctx.operation, input)),
  watchDetail: consoleProcedure
    .input(watchCounterInput)
    .subscription(({ ctx, input }) => liveStream(ctx, byClock(watchCounter(ctx.operation, input)))),
  moves: consoleProcedure
    .input(counterMovesInput)
    .query(({ ctx, input }) => listCounterMoves(ctx.operation, input)),
  create: consoleProcedure
    .input(setUpCounterInput)
    .mutation(({ ctx, input }) => setUpCounter(ctx.operation, input)),
  adjust: consoleProcedure
    .input(adjustCounterInput)
    .mutation(({ ctx, input }) => adjustCounter(ctx.operation, input)),
  setBounds: consoleProcedure
    .input(setCounterBoundsInput)
    .mutation(({ ctx, input }) => setCounterBounds(ctx.operation, input)),
});
