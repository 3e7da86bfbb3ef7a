import { initTRPC } from '@trpc/server';
import type { z } from 'zod';
import { LockyardError } from '../../../contract/errors';
import type { OperationContext } from '../../../operations/operation-context';
import { liveStream, withClockIds } from '../live-stream';
import { formatError } from '../refusal';
import type { ConsoleContext } from './console-context';

const PING_MS = 2_000;
const SILENT_MAX_MS = 6_000;

const t = initTRPC.context<ConsoleContext>().create({
  isDev: false,
  errorFormatter: formatError,
  sse: {
    ping: { enabled: true, intervalMs: PING_MS },
    client: { reconnectAfterInactivityMs: SILENT_MAX_MS },
  },
});

export const consoleRouterOf = t.router;

/**
 * A batch is begun at once: each of its mutations must see what those before it have done, also to
 * its caller's role.
 */
const serialised = t.middleware(({ ctx, next, type }) =>
  type === 'mutation' ? ctx.serialise(() => next()) : next(),
);

/**
 * For the few procedures open to callers who are not signed in. Their operations check the rest.
 */
export const openProcedure = t.procedure.use(serialised).use(async ({ ctx, next, signal }) => {
  const { runtime, requestId, address, isSecure } = ctx;
  const actor = await ctx.resolveUser();
  const operation: OperationContext = {
    runtime,
    actor,
    address,
    isSecure,
    requestId,
    ...(signal && { signal }),
  };
  return next({ ctx: { operation } });
});

/** The base of every other procedure: requires a session. */
export const consoleProcedure = openProcedure.use(({ ctx, next }) => {
  const { actor } = ctx.operation;
  if (actor?.kind === 'user') return next({ ctx: { user: actor } });
  throw new LockyardError('UNAUTHENTICATED', 'Sign in first.');
});

type Operation<I, A> = (ctx: OperationContext, input: I) => A;

/** A query that is one operation. */
export function query<S extends z.ZodType, A>(
  schema: S,
  operation: Operation<z.output<S>, Promise<A>>,
) {
  return consoleProcedure
    .input(schema)
    .query(({ ctx, input }) => operation(ctx.operation, input as z.output<S>));
}

/** A mutation that is one operation. */
export function mutation<S extends z.ZodType, A>(
  schema: S,
  operation: Operation<z.output<S>, Promise<A>>,
) {
  return consoleProcedure
    .input(schema)
    .mutation(({ ctx, input }) => operation(ctx.operation, input as z.output<S>));
}

/** A live stream of values that are each complete. */
export function stream<S extends z.ZodType, A extends { asOf: number }>(
  schema: S,
  operation: Operation<z.output<S>, AsyncGenerator<A, void>>,
) {
  return consoleProcedure
    .input(schema)
    .subscription(({ ctx, input }) =>
      liveStream(ctx, withClockIds(operation(ctx.operation, input as z.output<S>))),
    );
}
