import { desc } from 'drizzle-orm';
import { askDatabase } from '../ask-database';
import type { ControlContext } from '../operation-context';
import { requireRole } from '../require-role';

/** An API key as admins see it: nothing of it can be used. */
export interface ApiKeyRow {
  id: string;
  /** The service. */
  name: string;
  namespaces: string[];
  /** It can only report on processes. */
  isWitness: boolean;
  createdBy: string;
  createdAt: number;
  /** To the minute; null if never. */
  lastUsedAt: number | null;
  /** Null while it works. */
  revokedAt: number | null;
}

/** Every API key, newest first. */
export async function listApiKeys(ctx: ControlContext): Promise<ApiKeyRow[]> {
  await requireRole(ctx, 'admin');
  const { db, tables } = ctx.runtime.database;
  const { apiKeys } = tables;
  const rows = await askDatabase(() =>
    db.select().from(apiKeys).orderBy(desc(apiKeys.createdAt), desc(apiKeys.id)),
  );
  return rows.map(({ secretHash: _, namespaces, purpose, ...row }) => ({
    ...row,
    isWitness: purpose === 'witness',
    namespaces: JSON.parse(namespaces) as string[],
  }));
}
