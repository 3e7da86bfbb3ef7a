import { eq } from 'drizzle-orm';
import type { Database, Db } from '@/db/database';
import type { CreateNamespaceInput } from '../../contract/console/access-inputs';
import { LockyardError } from '../../contract/errors';
import type { Clock } from '../../platform/clock';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import { permit } from '../audit/permit';
import type { ControlContext } from '../operation-context';
import { requireConfiguredBackend } from './require-configured-backend';
import { requireUsableGate } from './require-usable-gate';

/**
 * Creates a namespace, permanently on one backend. Without a policy it has the default. One that
 * was removed can be created again only on its former backend: on another one its tokens might
 * begin below earlier ones.
 *
 * @throws LockyardError `NOT_FOUND` for a backend that is not configured, `CONFLICT` when the name
 *   is taken, or was on another backend; for a gate as `requireUsableGate`
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
  requireConfiguredBackend(config, backend);
  requireUsableGate(config, backend, policy?.gate ?? null);
  return auditedDatabaseChange(ctx, who, what, async (tx) => {
    const stored = policy ? JSON.stringify(policy) : null;
    const values = { backend, createdAt: clock.now(), policy: stored };
    try {
      if (await restoreRemoved(database, tx, name, values)) return { answer: { name, backend } };
      await tx.insert(database.tables.namespaces).values({ id: name, ...values, grownMaxLocks: 0 });
    } catch (error) {
      if (!database.isDuplicateKey(error)) throw error;
      throw new LockyardError('CONFLICT', `Namespace "${name}" already exists.`);
    }
    return { answer: { name, backend } };
  });
}

/** Restores a removed namespace of this name; false if there is none. Throws `CONFLICT`. */
async function restoreRemoved(
  database: Database,
  tx: Db,
  name: string,
  values: { backend: string; createdAt: number; policy: string | null },
): Promise<boolean> {
  const { namespaces } = database.tables;
  const isOfName = eq(namespaces.id, name);
  const [row] = await database.forUpdate(tx.select().from(namespaces).where(isOfName));
  if (!row || row.removedAt === null) return false;
  if (row.backend !== values.backend) {
    throw new LockyardError(
      'CONFLICT',
      `Namespace "${name}" was removed from backend "${row.backend}", ` +
        'and can only be created there.',
    );
  }
  await tx
    .update(namespaces)
    .set({ ...values, removedAt: null })
    .where(isOfName);
  return true;
}

/** Creates, at the start, the namespace for calls that do not name one. */
export async function ensureDefaultNamespace(database: Database, clock: Clock): Promise<void> {
  try {
    await database.db
      .insert(database.tables.namespaces)
      .values({ id: 'default', backend: 'default', createdAt: clock.now(), grownMaxLocks: 0 });
  } catch (error) {
    if (!database.isDuplicateKey(error)) throw error;
  }
}
