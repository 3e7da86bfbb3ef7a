import { eq } from 'drizzle-orm';
import { newApiKey } from '../../auth/api-keys/api-key-text';
import { EXPIRES_AT_MAX, type RotateKeyInput } from '../../contract/console/access-inputs';
import { LockyardError } from '../../contract/errors';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import type { ControlContext } from '../operation-context';
import type { CreatedKey } from './create-api-key';
import { permitKeyAct, requireLiveKey, selectKeyForUpdate } from './find-api-key';
import { formOf, storedLimits } from './stored-limits';

/** A key that replaces another. */
export interface RotatedKey extends CreatedKey {
  name: string;
  replaced: { id: string; expiresAt: number };
}

/**
 * Creates a new key of the same name, namespaces and limits, and lets the old one expire after the
 * grace period. Holds belong to the name, so the new key renews and releases what the old one
 * acquired. The new key of one that expires lives as long as the old one was meant to when its
 * expiry was last set.
 *
 * Of two simultaneous rotations of a key one is refused.
 *
 * @throws LockyardError `NOT_FOUND`; `CONFLICT` for a key that has ended, or was rotated already
 */
export async function rotateApiKey(
  ctx: ControlContext,
  { id: oldId, graceMs }: RotateKeyInput,
): Promise<RotatedKey> {
  const { database, apiKeys: verifier, clock } = ctx.runtime;
  const { apiKeys } = database.tables;
  const { who, what } = await permitKeyAct(ctx, 'key.rotate', oldId, { graceMs });
  const answer = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    const old = await selectKeyForUpdate(database, tx, oldId);
    const now = clock.now();
    requireLiveKey(old, now);
    if (old.replacedBy !== null) {
      const message = `This API key was rotated already; ${old.replacedBy} has taken its place.`;
      throw new LockyardError('CONFLICT', message);
    }
    const lifetimeMs = (old.expiresAt ?? 0) - (old.expirySetAt ?? old.createdAt);
    const expiresAt = old.expiresAt === null ? null : Math.min(now + lifetimeMs, EXPIRES_AT_MAX);
    const limits = old.limits ?? storedLimits({ prefix: undefined, verbs: undefined }, expiresAt);
    const { id, secretHash, key } = newApiKey(formOf(limits));
    await tx.insert(apiKeys).values({
      ...old,
      id,
      secretHash,
      limits,
      createdBy: who.name,
      createdAt: now,
      lastUsedAt: null,
      expiresAt,
      expirySetAt: null,
    });
    const endsAt = Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, now + graceMs);
    const ends = graceMs === 0 ? { revokedAt: now } : { expiresAt: endsAt };
    await tx
      .update(apiKeys)
      .set({ ...ends, replacedBy: id })
      .where(eq(apiKeys.id, oldId));
    const replaced = { id: oldId, expiresAt: endsAt };
    return {
      answer: { id, name: old.name, key, expiresAt, replaced },
      result: { newId: id, oldExpiresAt: endsAt },
    };
  });
  verifier.forget(oldId);
  return answer;
}
