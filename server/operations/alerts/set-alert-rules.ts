import { isDeepStrictEqual } from 'node:util';
import { eq, isNull } from 'drizzle-orm';
import { allOf } from '@/db/database';
import type { SetAlertRulesInput } from '../../contract/console/alerts/alert-inputs';
import type { AlertRulesRow } from '../../contract/console/alerts/alert-row';
import { DEFAULT_ALERT_RULES } from '../../contract/console/alerts/alert-rules';
import { rulesOf } from '../../monitoring/alerts/alert-settings';
import { noNamespace } from '../../monitoring/projection/monitored-backend';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import { permit } from '../audit/permit';
import type { ControlContext } from '../operation-context';
import { requireUnchanged } from '../require-unchanged';

/**
 * Changes when alerts of a namespace fire; in force within 2 s.
 *
 * @param input null rules mean the default, even if a later version changes it
 * @throws LockyardError `NOT_FOUND` for an unknown namespace; `CONFLICT` if its rules are
 *   neither those seen nor the wanted ones; as `auditedDatabaseChange`
 */
export async function setAlertRules(
  ctx: ControlContext,
  { namespace, rules, seen, reason }: SetAlertRulesInput,
): Promise<AlertRulesRow> {
  const { database } = ctx.runtime;
  const { alertRules, namespaces } = database.tables;
  const what = {
    act: 'alert.setRules',
    namespace,
    subject: namespace,
    reason,
    seen: rules ?? { default: true },
  } as const;
  const who = await permit(ctx, 'admin', what);
  const isOfNamespace = eq(alertRules.namespace, namespace);
  return auditedDatabaseChange(ctx, who, what, async (tx) => {
    const exists = allOf(eq(namespaces.id, namespace), isNull(namespaces.removedAt));
    // The row lock also makes two changes of these rules take turns.
    const [known] = await database.forUpdate(tx.select().from(namespaces).where(exists));
    if (!known) throw noNamespace(namespace);
    const [row] = await tx.select().from(alertRules).where(isOfNamespace);
    const before = row ? rulesOf(row.rules) : DEFAULT_ALERT_RULES;
    const wanted = rules ?? DEFAULT_ALERT_RULES;
    requireUnchanged(before, { seen, wanted, what: `The alert rules of "${namespace}"` });
    await tx.delete(alertRules).where(isOfNamespace);
    if (rules) await tx.insert(alertRules).values({ namespace, rules: JSON.stringify(rules) });
    const answer = { namespace, rules: wanted, isOwn: rules !== null };
    const isUnchanged = isDeepStrictEqual(row ? before : null, rules);
    return { answer, result: { before }, isUnchanged };
  });
}
