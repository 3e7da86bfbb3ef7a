import type { Database } from '@/db/database';
import type { CreateNamespaceInput } from '../../contract/console/access-inputs';
import { LockyardError } from '../../contract/errors';
import type { Clock } from '../../platform/clock';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import { permit } from '../audit/permit';
import type { ControlContext } from '../operation-context';
import { requireUsableGate } from './require-usable-gate';

/**
 * Creates a namespace, permanently on one backend. Without a policy it has the default.
 *
 * @throws LockyardError `NOT_FOUND` for a backend that is not configured, `CONFLICT` when the name
 *   is taken; for a gate as `requireUsableGate`
 */
export async function createNamespace(
  ctx: ControlContext,
  { name, backend, policy }: CreateNamespaceInput,
): Promise<{ name: string; backend: string }> {
  const { config, database, clock } = ctx.runtime;
  const what = {
    act: 'namespace.create',
    namespace: name,
    subject: name,
    seen: { backend, ...(policy && { policy }) },
  } as const;
  const who = await permit(ctx, 'admin', what);
  if (backend !== 'default' && !config.backends.some(({ id }) => id === backend)) {
    throw new LockyardError('NOT_FOUND', `Backend "${backend}" is not configured.`);
  }
  requireUsableGate(config, backend, policy?.gate ?? null);
  return auditedDatabaseChange(ctx, who, what, async (tx) => {
    try {
      const createdAt = clock.now();
      await tx.insert(database.tables.namespaces).values({
        id: name,
        backend,
        createdAt,
        policy: policy ? JSON.stringify(policy) : null,
        grownMaxLocks: 0,
      });
    } catch (error) {
      if (!database.isDuplicateKey(error)) throw error;
      throw new LockyardError('CONFLICT', `Namespace "${name}" already exists.`);
    }
    return { answer: { name, backend } };
  });
}

/** Makes the namespace that calls mean unless they name one, at the start. */
export async function ensureDefaultNamespace(database: Database, clock: Clock): Promise<void> {
  try {
    await database.db
      .insert(database.tables.namespaces)
      .values({ id: 'default', backend: 'default', createdAt: clock.now(), grownMaxLocks: 0 });
  } catch (error) {
    if (!database.isDuplicateKey(error)) throw error;
  }
}
