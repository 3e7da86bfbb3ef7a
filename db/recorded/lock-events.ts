import type { Kit } from '../kits/mysql';

/**
 * The history by lock, for the console. Written by maintenance. A row holds one event, or several
 * of a lock that followed closely on one another, in its `body`: see `bundled-events.ts`.
 */
export function lockEventsTable({ table, index, primaryKey, ...kit }: Kit) {
  return table(
    'lock_events',
    {
      historyId: kit.whole().notNull(),
      place: kit.count().notNull(),
      lockId: kit.exact(265).notNull(),
      backend: kit.code(32).notNull(),
      at: kit.whole().notNull(),
      rev: kit.whole().notNull(),
      kind: kit.code(16).notNull(),
      body: kit.document().notNull(),
      /** See `spanClass`. Null: recorded by a version without it. */
      span: kit.count(),
    },
    (t) => [
      primaryKey({ name: 'lock_events_pk', columns: [t.backend, t.historyId, t.place] }),
      index('lock_events_at').on(t.at),
      index('lock_events_lock_at').on(t.lockId, t.at),
      index('lock_events_span').on(t.span, t.at),
    ],
  );
}
