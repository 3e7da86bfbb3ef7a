import { inArray } from 'drizzle-orm';
import { newApiKey } from '../../auth/api-keys/api-key-text';
import type { CreateKeyInput } from '../../contract/console/access-inputs';
import { LockyardError } from '../../contract/errors';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import { permit } from '../audit/permit';
import type { ControlContext } from '../operation-context';

/**
 * Makes an API key for one service and some namespaces, or for a witness, which can do nothing
 * but report on processes. `key` is shown this once: only a hash of it
 * is kept. Several keys of one name are one service, so that a key can be replaced without a pause.
 *
 * @throws LockyardError `NOT_FOUND` for a namespace that does not exist
 */
export async function createApiKey(
  ctx: ControlContext,
  { name, namespaces, witness }: CreateKeyInput,
): Promise<{ id: string; key: string }> {
  const { database, clock } = ctx.runtime;
  const { tables } = database;
  const { id, secretHash, key } = newApiKey();
  const seen = witness ? { witness } : { namespaces };
  const what = { act: 'key.create', subject: name, seen } as const;
  const who = await permit(ctx, 'admin', what);
  return auditedDatabaseChange(ctx, who, what, async (tx) => {
    const known = await tx
      .select({ id: tables.namespaces.id })
      .from(tables.namespaces)
      .where(inArray(tables.namespaces.id, namespaces));
    const missing = namespaces.find((wanted) => !known.some((row) => row.id === wanted));
    if (missing) throw new LockyardError('NOT_FOUND', `There is no namespace "${missing}".`);
    await tx.insert(tables.apiKeys).values({
      id,
      name,
      namespaces: JSON.stringify(namespaces),
      purpose: witness ? 'witness' : 'service',
      secretHash,
      createdBy: who.name,
      createdAt: clock.now(),
      lastUsedAt: null,
      revokedAt: null,
    });
    return { answer: { id, key }, result: { id } };
  });
}
