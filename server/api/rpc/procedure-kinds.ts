import type { AnyRouter } from '@trpc/server';

/** The kind of call of each procedure of an API, by name. */
export type ProcedureKinds = ReadonlyMap<string, 'query' | 'mutation' | 'subscription'>;

/** The kinds of a tRPC router: for the console API, which has no table of its own. */
export function procedureKinds(router: AnyRouter): ProcedureKinds {
  const procedures: Record<string, AnyRouter['_def']['procedures'][string]> =
    router._def.procedures;
  return new Map(Object.entries(procedures).map(([name, { _def }]) => [name, _def.type]));
}
