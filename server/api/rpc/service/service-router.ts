import { type AnyRouter, initTRPC } from '@trpc/server';
import { formatError } from '../refusal';
import type { ServiceContext } from './service-context';
import type { CallableProcedure } from './service-procedures';

const t = initTRPC.context<ServiceContext>().create({ isDev: false, errorFormatter: formatError });

/**
 * The service API for tRPC's adapter, which handles batches and everything that the fast path does
 * not take. tRPC is only the transport: each procedure is one whole `call`.
 */
export function createServiceRouter(procedures: readonly CallableProcedure[]): AnyRouter {
  const groups: Record<string, Record<string, ReturnType<typeof trpcProcedure>>> = {};
  for (const procedure of procedures) {
    const [group = '', name = ''] = procedure.name.split('.');
    groups[group] = { ...groups[group], [name]: trpcProcedure(procedure) };
  }
  return t.router(groups);
}

function trpcProcedure({ kind, call }: CallableProcedure) {
  const procedure = t.procedure.use(async ({ ctx, getRawInput, next }) =>
    next({ ctx: { answer: await call(ctx, getRawInput) } }),
  );
  return kind === 'query'
    ? procedure.query(({ ctx }) => ctx.answer)
    : procedure.mutation(({ ctx }) => ctx.answer);
}
