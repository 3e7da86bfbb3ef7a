import { isDeepStrictEqual } from 'node:util';
import { eq, isNull } from 'drizzle-orm';
import { allOf } from '@/db/database';
import type { SetNamespacePolicyInput } from '../../contract/console/access-inputs';
import type { NamespacePolicy } from '../../contract/namespace-policy';
import { noNamespace } from '../../monitoring/projection/monitored-backend';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import { permit } from '../audit/permit';
import type { ControlContext } from '../operation-context';
import { requireUnchanged } from '../require-unchanged';
import { policyOfRow } from './namespace-directory';
import { requireUsableGate } from './require-usable-gate';

/**
 * Changes what a namespace allows; holds and waiters keep what they have. It applies here
 * immediately, and within 2 s at every process.
 *
 * @param input a null policy means the default, even if a later version changes it
 * @throws LockyardError `NOT_FOUND` for an unknown namespace; `CONFLICT` if its policy is
 *   neither the one seen nor the wanted one; for a gate as `requireUsableGate`
 */
export async function setNamespacePolicy(
  ctx: ControlContext,
  { name, policy, seen, reason }: SetNamespacePolicyInput,
): Promise<{ name: string; policy: NamespacePolicy }> {
  const { config, database, namespaces: directory, log } = ctx.runtime;
  const { namespaces } = database.tables;
  const what = {
    act: 'namespace.setPolicy',
    namespace: name,
    subject: name,
    reason,
    seen: { policy },
  } as const;
  const who = await permit(ctx, 'admin', what);
  const stored = policy === null ? null : JSON.stringify(policy);
  const exists = allOf(eq(namespaces.id, name), isNull(namespaces.removedAt));
  const answer = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    const [row] = await database.forUpdate(tx.select().from(namespaces).where(exists));
    if (!row) throw noNamespace(name);
    const present = row.policy === null ? null : policyOfRow(row);
    requireUnchanged<unknown>(present, { seen, wanted: policy, what: `The policy of "${name}"` });
    requireUsableGate(config, row.backend, policy?.gate ?? null);
    await tx.update(namespaces).set({ policy: stored }).where(exists);
    const result = { before: policyOfRow(row), after: policyOfRow({ ...row, policy: stored }) };
    const isUnchanged = isDeepStrictEqual(present, policy === null ? null : result.after);
    return { answer: { name, policy: result.after }, result, isUnchanged };
  });
  await directory.refresh().catch((err: unknown) => {
    log.warn({ err }, 'could not reload the policies; retrying');
  });
  return answer;
}
