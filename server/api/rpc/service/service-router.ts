import {
  counterAddInput,
  counterCreateInput,
  counterGetInput,
} from '../../../contract/counter/inputs';
import { LockyardError } from '../../../contract/errors';
import {
  acquireInput,
  cancelInput,
  checkInput,
  inspectInput,
  listInput,
  releaseInput,
  renewInput,
} from '../../../contract/lock/inputs';
import { acquireManyInput, cancelManyInput } from '../../../contract/multi-lock/inputs';
import { addToCounter, createCounter, getCounter } from '../../../operations/counters/for-services';
import { acquireLock, cancelAcquire } from '../../../operations/locks/for-services/acquire-lock';
import {
  acquireMany,
  cancelAcquireMany,
} from '../../../operations/locks/for-services/acquire-many';
import { checkToken, inspectLock } from '../../../operations/locks/for-services/inspect-lock';
import { listLocks } from '../../../operations/locks/for-services/list-locks';
import { releaseLock } from '../../../operations/locks/for-services/release-lock';
import { renewLock } from '../../../operations/locks/for-services/renew-lock';
import { serviceProcedure, serviceRouterOf } from './service-procedure';

/**
 * The API that programs call. Names, inputs and answers are a contract: they may gain fields, never
 * lose any.
 */
export const serviceRouter = serviceRouterOf({
  lock: serviceRouterOf({
    acquire: serviceProcedure.input(acquireInput).mutation(({ ctx, input }) => {
      refuseWaitInBatch(ctx, input);
      return acquireLock(ctx.operation, input);
    }),
    acquireMany: serviceProcedure.input(acquireManyInput).mutation(({ ctx, input }) => {
      refuseWaitInBatch(ctx, input);
      return acquireMany(ctx.operation, input);
    }),
    cancelMany: serviceProcedure
      .input(cancelManyInput)
      .mutation(({ ctx, input }) => cancelAcquireMany(ctx.operation, input)),
    cancel: serviceProcedure
      .input(cancelInput)
      .mutation(({ ctx, input }) => cancelAcquire(ctx.operation, input)),
    renew: serviceProcedure
      .input(renewInput)
      .mutation(({ ctx, input }) => renewLock(ctx.operation, input)),
    release: serviceProcedure
      .input(releaseInput)
      .mutation(({ ctx, input }) => releaseLock(ctx.operation, input)),
    inspect: serviceProcedure
      .input(inspectInput)
      .query(({ ctx, input }) => inspectLock(ctx.operation, input)),
    list: serviceProcedure
      .input(listInput)
      .query(({ ctx, input }) => listLocks(ctx.operation, input)),
    check: serviceProcedure
      .input(checkInput)
      .query(({ ctx, input }) => checkToken(ctx.operation, input)),
  }),
  counter: serviceRouterOf({
    create: serviceProcedure
      .input(counterCreateInput)
      .mutation(({ ctx, input }) => createCounter(ctx.operation, input)),
    add: serviceProcedure
      .input(counterAddInput)
      .mutation(({ ctx, input }) => addToCounter(ctx.operation, input)),
    get: serviceProcedure
      .input(counterGetInput)
      .query(({ ctx, input }) => getCounter(ctx.operation, input)),
  }),
});

function refuseWaitInBatch(
  { isBatch }: { isBatch: boolean },
  { waitMs }: { waitMs: number },
): void {
  if (isBatch && waitMs > 0) throw new LockyardError('INVALID', 'waitMs: a batch may not wait.');
}

export type ServiceRouter = typeof serviceRouter;
