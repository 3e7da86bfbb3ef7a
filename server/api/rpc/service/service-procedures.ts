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
import { streamWatch, watchLocks } from '../../../operations/locks/for-services/watch-locks';
import type { OperationContext } from '../../../operations/operation-context';
import { reportProcesses } from '../../../operations/witnesses/report-processes';
import { refuseManyFields } from '../many-fields';
import { parseInput } from '../parse-input';
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
  'lock.watch': watchLocks,
  'lock.check': checkToken,
  'counter.create': createCounter,
  'counter.add': addToCounter,
  'counter.get': getCounter,
  'witness.report': reportProcesses,
};

/** Sends one value of a stream; resolves when the next may follow. */
export type SendValue = (value: { position: string }) => Promise<void>;

/** The procedures that can also be answered as an event stream. */
const STREAMS: {
  [P in ServiceProcedureName]?: (
    ctx: OperationContext,
    input: ServiceInput<P>,
    send: SendValue,
  ) => Promise<void>;
} = {
  'lock.watch': streamWatch,
};

/** A check of every call, between input and operation. Throws to refuse it. */
export type ServiceCheck = (ctx: ServiceContext, input: object) => void;

const SERVICE_CHECKS: readonly ServiceCheck[] = [refuseWaitInBatch];

/** A procedure of the service API that can be called. */
export interface CallableProcedure {
  name: ServiceProcedureName;
  kind: 'mutation' | 'query';
  /**
   * A whole call: identifies the caller, reads and parses the input, checks it, and runs the
   * operation. tRPC and the fast path both call this; only `stream` is another way to an operation.
   *
   * @param readInput is called once the caller is identified
   * @throws LockyardError a refusal, thrown or as a rejection
   */
  call(ctx: ServiceContext, readInput: () => unknown): Promise<unknown>;
  /** The same call with an event stream as its answer; null if it has none. */
  stream:
    | ((ctx: ServiceContext, readInput: () => unknown, send: SendValue) => Promise<void>)
    | null;
}

/**
 * Every procedure of the service API.
 *
 * @param checks what each call must pass
 */
export function serviceProcedures(checks = SERVICE_CHECKS): CallableProcedure[] {
  return (Object.keys(SERVICE_API) as ServiceProcedureName[]).map((name) => {
    const { kind, input: schema } = SERVICE_API[name];
    const operation = OPERATIONS[name] as (
      ctx: OperationContext,
      input: object,
    ) => Promise<unknown>;
    const toStream = STREAMS[name] as
      | ((ctx: OperationContext, input: object, send: SendValue) => Promise<void>)
      | undefined;
    const examine = (ctx: ServiceContext, raw: unknown) => {
      refuseManyFields(raw);
      const input: object = parseInput(schema, raw === undefined ? {} : raw);
      for (const check of checks) check(ctx, input);
      return input;
    };
    return {
      name,
      kind,
      call(ctx, readInput) {
        const run = (caller: OperationContext) => {
          const raw = readInput();
          return raw instanceof Promise
            ? raw.then((input) => operation(caller, examine(ctx, input)))
            : operation(caller, examine(ctx, raw));
        };
        const caller = identifyCaller(ctx);
        return caller instanceof Promise ? caller.then(run) : run(caller);
      },
      stream: toStream
        ? async (ctx, readInput, send) => {
            const caller = await identifyCaller(ctx);
            return toStream(caller, examine(ctx, await readInput()), send);
          }
        : null,
    };
  });
}

function refuseWaitInBatch({ request }: ServiceContext, input: { waitMs?: number }): void {
  if (request.isBatch && input.waitMs !== undefined && input.waitMs > 0) {
    throw new LockyardError('INVALID', 'waitMs: a batch may not wait.');
  }
}
