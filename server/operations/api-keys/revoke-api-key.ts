import { eq } from 'drizzle-orm';
import type { RevokeKeyInput } from '../../contract/console/access-inputs';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import type { ControlContext } from '../operation-context';
import { permitKeyAct, selectKeyForUpdate } from './find-api-key';

/**
 * Revokes an API key for good, everywhere within 1 s. Its holds remain until their leases end.
 *
 * @throws LockyardError `NOT_FOUND`; as `auditedDatabaseChange`
 */
export async function revokeApiKey(
  ctx: ControlContext,
  { id }: RevokeKeyInput,
): Promise<{ id: string; revokedAt: number }> {
  const { database, apiKeys: verifier, clock } = ctx.runtime;
  const { apiKeys } = database.tables;
  const { who, what } = await permitKeyAct(ctx, 'key.revoke', id);
  const answer = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    const row = await selectKeyForUpdate(database, tx, id);
    const revokedAt = row.revokedAt ?? clock.now();
    await tx.update(apiKeys).set({ revokedAt }).where(eq(apiKeys.id, id));
    return { answer: { id, revokedAt }, isUnchanged: row.revokedAt !== null };
  });
  verifier.forget(id);
  return answer;
}
