import type { Kit } from './kits/mysql';

/** The table of people who are working on a lock: one at a time, and not for long. */
export function lockPresenceTable({ table, index, ...kit }: Kit) {
  return table(
    'lock_presence',
    {
      lockId: kit.exact(265).primaryKey(),
      /** The token of the hold that was seen; null: the lock was not held. */
      token: kit.whole(),
      actor: kit.document().notNull(),
      at: kit.whole().notNull(),
      until: kit.whole().notNull(),
    },
    (t) => [index('lock_presence_until').on(t.until)],
  );
}
