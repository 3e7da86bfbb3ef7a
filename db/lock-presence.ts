import type { Kit } from './kits/mysql';

/** The table of who is on a lock: one person at a time, and not for long. */
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
