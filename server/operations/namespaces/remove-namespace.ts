import { eq, isNull, not, or } from 'drizzle-orm';
import { allOf } from '@/db/database';
import { isExpiredKey } from '../../auth/api-keys/is-expired-key';
import { namespacesOf } from '../../auth/api-keys/stored-key';
import type { RemoveNamespaceInput } from '../../contract/console/access-inputs';
import { LockyardError } from '../../contract/errors';
import { noNamespace } from '../../monitoring/projection/monitored-backend';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import { permit } from '../audit/permit';
import type { OperationContext, Runtime } from '../operation-context';

/**
 * Removes a namespace without locks and counters, free locks included, and without live API keys.
 * Within 2 s every process refuses it. Its history stays; if it is created again, it is on the same
 * backend.
 *
 * @throws LockyardError `NOT_FOUND`; `CONFLICT` for `default`, and for one in use; `BACKEND_DOWN`
 *   if this process cannot say whether it is empty
 */
export async function removeNamespace(
  ctx: OperationContext,
  { name, reason }: RemoveNamespaceInput,
): Promise<{ name: string }> {
  const { database, clock, nameCount, namespaces: directory, log } = ctx.runtime;
  const { namespaces, apiKeys, alertRules } = database.tables;
  const what = { act: 'namespace.remove', namespace: name, subject: name, reason } as const;
  const who = await permit(ctx, 'admin', what);
  const exists = allOf(eq(namespaces.id, name), isNull(namespaces.removedAt));
  const answer = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    const [row] = await database.forUpdate(tx.select().from(namespaces).where(exists));
    if (!row) throw noNamespace(name);
    if (name === 'default') {
      throw new LockyardError('CONFLICT', 'The namespace "default" cannot be removed.');
    }
    requireKnownNames(ctx.runtime, name, row.backend);
    const inUse = nameCount.total(name);
    if (inUse > 0) {
      const text =
        `Namespace "${name}" still has locks or counters (${inUse}). Records of free locks ` +
        'count, as they are kept for their tokens. Delete them first.';
      throw new LockyardError('CONFLICT', text);
    }
    const isLive = not(isExpiredKey(database, clock.now()));
    const keys = await tx
      .select()
      .from(apiKeys)
      .where(allOf(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), isLive)));
    const using = keys.find((key) => namespacesOf(key.namespaces).includes(name));
    if (using) {
      throw new LockyardError(
        'CONFLICT',
        `The API key ${using.id} of ${using.name} is for namespace "${name}"; revoke it first.`,
      );
    }
    await tx.update(namespaces).set({ removedAt: clock.now() }).where(exists);
    await tx.delete(alertRules).where(eq(alertRules.namespace, name));
    return { answer: { name }, result: { backend: row.backend } };
  });
  await directory.refresh().catch((err: unknown) => {
    log.warn({ err }, 'could not reload the namespaces; retrying');
  });
  return answer;
}

/** Refuses if the backend does not respond or was not read: its names would count as none. */
function requireKnownNames(
  { engines, projection }: Pick<Runtime, 'engines' | 'projection'>,
  name: string,
  backend: string,
): void {
  if (engines.get(backend)?.health().reachable && projection.isRead(backend)) return;
  const text = `Backend "${backend}" of namespace "${name}" cannot be read, so it may have locks.`;
  throw new LockyardError('BACKEND_DOWN', text);
}
