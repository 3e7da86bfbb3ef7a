import type { Kit } from './kits/mysql';

/**
 * Roll-ups of refused attempts on one lock in one minute at one process, the only writer of the
 * row; with an empty `lockId`, of those on all locks of the backend together.
 */
export function lockRefusalsTable({ table, index, primaryKey, ...kit }: Kit) {
  return table(
    'lock_refusals',
    {
      /** The backend's public id, whichever of its shards has the lock. */
      backend: kit.code(32).notNull(),
      lockId: kit.exact(265).notNull(),
      minute: kit.whole().notNull(),
      process: kit.code(24).notNull(),
      attempts: kit.count().notNull(),
      /** `RefusalCounts` as JSON. */
      counts: kit.document().notNull(),
      /** The clock of this database when the row was last written. */
      writtenAt: kit.whole().notNull(),
    },
    (t) => [
      primaryKey({
        name: 'lock_refusals_pk',
        columns: [t.backend, t.lockId, t.minute, t.process],
      }),
      index('lock_refusals_minute').on(t.minute),
      index('lock_refusals_written').on(t.writtenAt),
    ],
  );
}
