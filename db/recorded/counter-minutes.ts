import type { Kit } from '../kits/mysql';

/** Roll-ups: how a counter's value moved in one minute. Written by maintenance. */
export function counterMinutesTable({ table, index, primaryKey, ...kit }: Kit) {
  return table(
    'counter_minutes',
    {
      backend: kit.code(32).notNull(),
      /** The counter's record id. */
      counterId: kit.exact(265).notNull(),
      minute: kit.whole().notNull(),
      /** How many times the value changed. */
      changes: kit.count().notNull(),
      /** By how much it rose, and by how much it fell, added up; both are at least 0. */
      added: kit.whole().notNull(),
      removed: kit.whole().notNull(),
      /** Its value at the end. */
      value: kit.whole().notNull(),
    },
    (t) => [
      primaryKey({ name: 'counter_minutes_pk', columns: [t.backend, t.counterId, t.minute] }),
      index('counter_minutes_minute').on(t.minute),
    ],
  );
}
