import { inArray, isNull } from 'drizzle-orm';
import { allOf, type Database, type Db } from '@/db/database';
import { noNamespace } from '../../monitoring/projection/monitored-backend';

/**
 * Requires that namespaces exist until the transaction ends: none of them is removed meanwhile.
 *
 * @throws LockyardError `NOT_FOUND` for the first that does not exist
 */
export async function requireNamespaces(
  database: Database,
  tx: Db,
  names: string[],
): Promise<void> {
  const { namespaces } = database.tables;
  const exists = allOf(inArray(namespaces.id, names), isNull(namespaces.removedAt));
  const known = await database.forUpdate(
    tx.select({ id: namespaces.id }).from(namespaces).where(exists),
  );
  const missing = names.find((wanted) => !known.some((row) => row.id === wanted));
  if (missing) throw noNamespace(missing);
}
