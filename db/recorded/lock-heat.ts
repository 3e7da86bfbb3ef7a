import type { Kit } from '../kits/mysql';

/** For each time step, the locks with the most waiting. Written by maintenance. */
export function lockHeatTable({ table, primaryKey, ...kit }: Kit) {
  return table(
    'lock_heat',
    {
      stepMs: kit.whole().notNull(),
      /** The beginning of the step, on the server's clock. */
      at: kit.whole().notNull(),
      backend: kit.code(32).notNull(),
      lockId: kit.exact(265).notNull(),
      /** The sum over all callers that it blocked of how long each was blocked in the step. */
      waiterMs: kit.whole().notNull(),
      /** The worst status that it had in the step. */
      status: kit.code(16).notNull(),
    },
    (t) => [primaryKey({ name: 'lock_heat_pk', columns: [t.stepMs, t.at, t.backend, t.lockId] })],
  );
}
