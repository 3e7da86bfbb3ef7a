import { initTRPC } from '@trpc/server';
import type { ServiceActor } from '../../../auth/actor';
import type {
  CallerConnection,
  OperationContext,
  Runtime,
} from '../../../operations/operation-context';
import { formatError } from '../format-error';
import type { ServiceContext } from './service-context';

const t = initTRPC.context<ServiceContext>().create({ isDev: false, errorFormatter: formatError });

export const serviceRouterOf = t.router;

/** What the operation behind a call is given. */
class ServiceCall implements OperationContext {
  readonly runtime: Runtime;
  readonly address: string;
  readonly requestId: string;
  private readonly line: CallerConnection;

  constructor(
    { runtime, address, requestId, connection }: ServiceContext,
    readonly actor: ServiceActor,
  ) {
    this.runtime = runtime;
    this.address = address;
    this.requestId = requestId;
    this.line = connection;
  }

  get signal(): AbortSignal {
    return this.line.signal;
  }

  hasHungUp(): boolean {
    return this.line.isClosed;
  }

  onWaiting(): void {
    this.line.onWaiting();
  }
}

/**
 * Requires a live API key.
 *
 * @throws LockyardError `UNAUTHENTICATED`
 */
export async function operationOf(ctx: ServiceContext): Promise<OperationContext> {
  return new ServiceCall(ctx, await ctx.actor());
}

const identified = t.middleware(async ({ ctx, next }) =>
  next({ ctx: { operation: await operationOf(ctx) } }),
);

/** The step that every call takes first. */
export const [identify] = identified._middlewares;

/** The base of every procedure of the service API. */
export const serviceProcedure = t.procedure.use(identified);
