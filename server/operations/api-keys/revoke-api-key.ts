import { eq } from 'drizzle-orm';
import type { RevokeKeyInput } from '../../contract/console/access-inputs';
import { LockyardError } from '../../contract/errors';
import { askDatabase } from '../ask-database';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import { permit } from '../audit/permit';
import type { ControlContext } from '../operation-context';

/** Revokes an API key for good, everywhere within 1 s. Its holds remain until their leases end. */
export async function revokeApiKey(
  ctx: ControlContext,
  { id }: RevokeKeyInput,
): Promise<{ id: string; revokedAt: number }> {
  const { database, apiKeys: ring, clock } = ctx.runtime;
  const { apiKeys } = database.tables;
  const isThisKey = eq(apiKeys.id, id);
  const [key] = await askDatabase(() => database.db.select().from(apiKeys).where(isThisKey));
  const what = { act: 'key.revoke', subject: key?.name ?? id, seen: { id } } as const;
  const who = await permit(ctx, 'admin', what);
  const answer = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    const [row] = await database.forUpdate(tx.select().from(apiKeys).where(isThisKey));
    if (!row) throw new LockyardError('NOT_FOUND', 'There is no such API key.');
    const revokedAt = row.revokedAt ?? clock.now();
    await tx.update(apiKeys).set({ revokedAt }).where(isThisKey);
    return { answer: { id, revokedAt } };
  });
  ring.forget(id);
  return answer;
}
