import { and, inArray, isNull, type SQL } from 'drizzle-orm';
import type { Database, Db } from '@/db/database';
import { LockyardError } from '../../contract/errors';

/** @throws LockyardError `NOT_FOUND` for the first namespace that does not exist */
export async function requireNamespaces(
  { tables }: Database,
  tx: Db,
  names: string[],
): Promise<void> {
  const { namespaces } = tables;
  const exists = and(inArray(namespaces.id, names), isNull(namespaces.removedAt)) as SQL;
  const known = await tx.select({ id: namespaces.id }).from(namespaces).where(exists);
  const missing = names.find((wanted) => !known.some((row) => row.id === wanted));
  if (missing) throw new LockyardError('NOT_FOUND', `There is no namespace "${missing}".`);
}
