import type { Kit } from './kits/mysql';

/** The table of views of the lock list that people keep for themselves. */
export function savedViewsTable({ table, uniqueIndex, ...kit }: Kit) {
  return table(
    'saved_views',
    {
      id: kit.code(24).primaryKey(),
      userId: kit.code(24).notNull(),
      name: kit.exact(160).notNull(),
      /** The part of its address after the `?`. */
      query: kit.document().notNull(),
      createdAt: kit.whole().notNull(),
    },
    (t) => [uniqueIndex('saved_views_name').on(t.userId, t.name)],
  );
}
