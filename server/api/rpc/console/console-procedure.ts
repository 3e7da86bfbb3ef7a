import { initTRPC } from '@trpc/server';
import type { z } from 'zod';
import { LockyardError } from '../../../contract/errors';
import type { OperationContext } from '../../../operations/operation-context';
import { liveStream, withClockIds } from '../live-stream';
import { refuseManyFields } from '../many-fields';
import { asParser } from '../parse-input';
import { formatConsoleError } from '../refusal';
import type { ConsoleContext } from './console-context';

const PING_MS = 2_000;
const SILENT_MAX_MS = 6_000;

const t = initTRPC.context<ConsoleContext>().create({
  isDev: false,
  errorFormatter: formatConsoleError,
  sse: {
    ping: { enabled: true, intervalMs: PING_MS },
    client: { reconnectAfterInactivityMs: SILENT_MAX_MS },
  },
});

export const consoleRouterOf = t.router;

/** Calls of a batch start together, so its mutations are serialised: each sees those before it. */
const serialised = t.middleware(({ ctx, next, type }) =>
  type === 'mutation' ? ctx.serialise(() => next()) : next(),
);

/**
 * The base of the few procedures that need no sign-in. Their bodies are short; their operations
 * check the rest.
 */
export const openProcedure = t.procedure.use(serialised).use(async ({ ctx, next, signal }) => {
  const { runtime, requestId, address, isSecure, userAgent } = ctx;
  const actor = await ctx.resolveUser();
  const operation: OperationContext = {
    runtime,
    actor,
    address,
    isSecure,
    requestId,
    userAgent,
    ...(signal && { signal }),
  };
  return next({ ctx: { operation } });
});

const signedIn = openProcedure.use(({ ctx, next }) => {
  const { actor } = ctx.operation;
  if (actor?.kind === 'user') return next({ ctx: { user: actor } });
  throw new LockyardError('UNAUTHENTICATED', 'Sign in first.');
});

/** The base of every other procedure: requires a session. */
export const consoleProcedure = signedIn.use(async ({ getRawInput, next }) => {
  // Input that cannot be parsed is refused by the procedure that parses it; some have no input.
  refuseManyFields(await getRawInput().catch(() => undefined));
  return next();
});

type Operation<S extends z.ZodType, A> = (ctx: OperationContext, input: z.output<S>) => A;

/** A query that is one operation. */
export function query<S extends z.ZodType, A>(schema: S, operation: Operation<S, Promise<A>>) {
  return consoleProcedure.input(asParser(schema)).query(callOf(operation));
}

/** A mutation that is one operation. */
export function mutation<S extends z.ZodType, A>(schema: S, operation: Operation<S, Promise<A>>) {
  return consoleProcedure.input(asParser(schema)).mutation(callOf(operation));
}

/** A live stream of values that are each complete. */
export function stream<S extends z.ZodType, A extends { asOf: number }>(
  schema: S,
  operation: Operation<S, AsyncGenerator<A, void>>,
) {
  const call = callOf(operation);
  return consoleProcedure
    .input(asParser(schema))
    .subscription((request) => liveStream(request.ctx, withClockIds(call(request))));
}

const callOf =
  <S extends z.ZodType, A>(operation: Operation<S, A>) =>
  ({ ctx, input }: { ctx: { operation: OperationContext }; input: unknown }) =>
    operation(ctx.operation, input as z.output<S>);
