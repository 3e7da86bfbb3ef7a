import { eq } from 'drizzle-orm';
import type { Database, Db } from '@/db/database';
import type { Schema } from '@/db/schema';
import { hasExpired } from '../../auth/api-keys/stored-key';
import { LockyardError } from '../../contract/errors';
import { askDatabase } from '../ask-database';
import type { AuditAct, AuditedAct } from '../audit/audited-act';
import { type PermittedActor, permit } from '../audit/permit';
import type { ControlContext } from '../operation-context';

export type StoredKey = Schema['apiKeys']['$inferSelect'];

/** An admin's act on one key, permitted and named for the audit log. Throws as `permit`. */
export async function permitKeyAct(
  ctx: ControlContext,
  act: AuditAct,
  id: string,
  seen: Record<string, unknown> = {},
): Promise<{ who: PermittedActor; what: AuditedAct }> {
  const { db, tables } = ctx.runtime.database;
  const { apiKeys } = tables;
  const [key] = await askDatabase(() => db.select().from(apiKeys).where(eq(apiKeys.id, id)));
  const what = { act, subject: key?.name ?? id, seen: { id, ...seen } };
  return { who: await permit(ctx, 'admin', what), what };
}

/**
 * A key as it is now, locked until the transaction ends.
 *
 * @throws LockyardError `NOT_FOUND`
 */
export async function selectKeyForUpdate(
  database: Database,
  tx: Db,
  id: string,
): Promise<StoredKey> {
  const { apiKeys } = database.tables;
  const [row] = await database.forUpdate(tx.select().from(apiKeys).where(eq(apiKeys.id, id)));
  if (!row) throw new LockyardError('NOT_FOUND', `There is no API key with the id "${id}".`);
  return row;
}

/** @throws LockyardError `CONFLICT` for a key that was revoked or has expired */
export function requireLiveKey(key: StoredKey, now: number): void {
  const { revokedAt, replacedBy } = key;
  const what = replacedBy === null ? 'create a new one' : `${replacedBy} has taken its place`;
  if (hasExpired(key, now)) {
    throw new LockyardError('CONFLICT', `This API key has expired; ${what}.`);
  }
  if (revokedAt === null) return;
  throw new LockyardError('CONFLICT', `This API key has been revoked; ${what}.`);
}
