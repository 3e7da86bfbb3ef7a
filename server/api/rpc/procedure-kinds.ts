import type { AnyRouter } from '@trpc/server';

/** What kind of call each procedure of an API is, by name. */
export type ProcedureKinds = ReadonlyMap<string, 'query' | 'mutation' | 'subscription'>;

/** Read from a tRPC router: for the console API, which has no table of its own. */
export function procedureKinds(router: AnyRouter): ProcedureKinds {
  const procedures: Record<string, AnyRouter['_def']['procedures'][string]> =
    router._def.procedures;
  return new Map(Object.entries(procedures).map(([name, { _def }]) => [name, _def.type]));
}
