import type { Kit } from './kits/mysql';

/** The table of deadlocks that were found. Adding one deletes the oldest. */
export function deadlocksTable({ table, index, ...kit }: Kit) {
  return table(
    'deadlocks',
    {
      /** Derived from its waits, so that every process that finds the deadlock uses the same id. */
      id: kit.code(24).primaryKey(),
      since: kit.whole().notNull(),
      foundAt: kit.whole().notNull(),
      /** Null while it lasts. */
      endedAt: kit.whole(),
      endedBy: kit.code(16),
      operator: kit.document(),
      waiting: kit.count().notNull(),
      /** JSON: `DeadlockStepRow[]`. */
      steps: kit.document().notNull(),
    },
    (t) => [index('deadlocks_found').on(t.foundAt)],
  );
}
