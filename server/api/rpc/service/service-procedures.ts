import { TRPCError } from '@trpc/server';
import { LockyardError } from '../../../contract/errors';
import {
  SERVICE_API,
  type ServiceAnswer,
  type ServiceInput,
  type ServiceProcedureName,
} from '../../../contract/service-api';
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
import type { OperationContext } from '../../../operations/operation-context';
import { identifyCaller, type ServiceContext } from './service-context';

type Operations = {
  [P in ServiceProcedureName]: (
    ctx: OperationContext,
    input: ServiceInput<P>,
  ) => Promise<ServiceAnswer<P>>;
};

const OPERATIONS: Operations = {
  'lock.acquire': acquireLock,
  'lock.acquireMany': acquireMany,
  'lock.cancel': cancelAcquire,
  'lock.cancelMany': cancelAcquireMany,
  'lock.renew': renewLock,
  'lock.release': releaseLock,
  'lock.inspect': inspectLock,
  'lock.list': listLocks,
  'lock.check': checkToken,
  'counter.create': createCounter,
  'counter.add': addToCounter,
  'counter.get': getCounter,
};

/** A check of every call, between input and operation. Rejects, or throws, to refuse it. */
export type ServiceCheck = (ctx: ServiceContext, input: object) => void | Promise<void>;

const SERVICE_CHECKS: readonly ServiceCheck[] = [refuseWaitInBatch];

/** A procedure of the service API that can be called. */
export interface CallableProcedure {
  name: ServiceProcedureName;
  kind: 'mutation' | 'query';
  /**
   * A whole call: identifies the caller, reads and parses the input, checks, runs the operation.
   * There is no other way to an operation: tRPC and the fast path both call this.
   *
   * @param readInput is called once the caller is identified
   * @throws LockyardError a refusal; TRPCError with the `ZodError` as its cause for a wrong input
   */
  call(ctx: ServiceContext, readInput: () => unknown): Promise<unknown>;
}

/**
 * Every procedure of the service API.
 *
 * @param checks what each call has to pass
 */
export function serviceProcedures(checks = SERVICE_CHECKS): CallableProcedure[] {
  return (Object.keys(SERVICE_API) as ServiceProcedureName[]).map((name) => {
    const { kind, input: schema } = SERVICE_API[name];
    const operation = OPERATIONS[name] as (
      ctx: OperationContext,
      input: object,
    ) => Promise<unknown>;
    return {
      name,
      kind,
      async call(ctx, readInput) {
        const caller = await identifyCaller(ctx);
        const input = schema.safeParse(await readInput());
        if (input.error) throw new TRPCError({ code: 'BAD_REQUEST', cause: input.error });
        for (const check of checks) await check(ctx, input.data);
        return operation(caller, input.data);
      },
    };
  });
}

function refuseWaitInBatch({ isBatch }: ServiceContext, input: { waitMs?: number }): void {
  if (isBatch && input.waitMs !== undefined && input.waitMs > 0) {
    throw new LockyardError('INVALID', 'waitMs: a batch may not wait.');
  }
}
