import type { Kit } from '../kits/mysql';

/** The table of incidents: times during which a lock needed a person. Written by maintenance. */
export function incidentsTable({ table, index, uniqueIndex, ...kit }: Kit) {
  return table(
    'incidents',
    {
      id: kit.serial(),
      /** The lock, as the console's row id; null once ended. Unique: one open incident per lock. */
      openFor: kit.exact(300),
      backend: kit.code(32).notNull(),
      namespace: kit.exact(64).notNull(),
      name: kit.exact(200).notNull(),
      /** The worst status that the lock had. */
      status: kit.code(16).notNull(),
      beganAt: kit.whole().notNull(),
      /** When the lock was last read, and with how many waiters. */
      readAt: kit.whole().notNull(),
      waiters: kit.count().notNull(),
      /** Since when the lock has needed no person; null while it does. */
      clearedAt: kit.whole(),
      endedAt: kit.whole(),
      /** The sum over all waiters of how long each waited during it. */
      waiterMs: kit.whole().notNull(),
      waitersMax: kit.count().notNull(),
      blockingMaxMs: kit.whole().notNull(),
      /** A JSON list of operators' names. */
      actors: kit.document().notNull(),
      /** JSON: `IncidentFacts`. */
      facts: kit.document().notNull(),
    },
    (t) => [
      uniqueIndex('incidents_open').on(t.openFor),
      index('incidents_lock').on(t.backend, t.namespace, t.name, t.beganAt),
      index('incidents_began').on(t.beganAt),
      index('incidents_ended').on(t.endedAt, t.beganAt),
    ],
  );
}
