import { initTRPC } from '@trpc/server';
import { LockyardError } from '../../../contract/errors';
import type { OperationContext } from '../../../operations/operation-context';
import { formatError } from '../format-error';
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
