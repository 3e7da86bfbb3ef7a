import { and, eq, isNull, type SQL } from 'drizzle-orm';
import type { Database } from '@/db/database';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import type { NameCount } from '../../engine/names/name-count';

/**
 * Decides for each namespace from before `maxLocks` how many names it may have where its policy
 * does not say: the default, or twice what it has where that is more. Each is decided once, when
 * all of its backend has been read.
 *
 * @param isRead whether a backend, all shards of it, has been read
 */
export async function setLegacyNameLimits(
  database: Database,
  names: Pick<NameCount, 'total'>,
  isRead: (backend: string) => boolean,
): Promise<void> {
  const { namespaces } = database.tables;
  const open = await database.db.select().from(namespaces).where(isNull(namespaces.grownMaxLocks));
  for (const { id, backend } of open) {
    if (!isRead(backend)) continue;
    const total = names.total(id);
    const grownMaxLocks = total > DEFAULT_POLICY.maxLocks ? 2 * total : 0;
    await database.db
      .update(namespaces)
      .set({ grownMaxLocks })
      .where(and(eq(namespaces.id, id), isNull(namespaces.grownMaxLocks)) as SQL);
  }
}
