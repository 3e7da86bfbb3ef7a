import type { Kit } from '../kits/mysql';

/** For each step of time, the locks that were waited for most. Written by maintenance. */
export function lockHeatTable({ table, primaryKey, ...kit }: Kit) {
  return table(
    'lock_heat',
    {
      stepMs: kit.whole().notNull(),
      /** The beginning of the step, on the server's clock. */
      at: kit.whole().notNull(),
      backend: kit.code(32).notNull(),
      lockId: kit.exact(265).notNull(),
      /** How long all callers that it kept from work were kept in the step, added up. */
      waiterMs: kit.whole().notNull(),
      /** The worst status that it had in the step. */
      status: kit.code(16).notNull(),
    },
    (t) => [primaryKey({ name: 'lock_heat_pk', columns: [t.stepMs, t.at, t.backend, t.lockId] })],
  );
}
