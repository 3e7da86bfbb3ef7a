import { asc, isNull } from 'drizzle-orm';
import { type AlertRules, DEFAULT_ALERT_RULES } from '../../contract/console/alerts/alert-rules';
import type { NamespacePolicy } from '../../contract/namespace-policy';
import { AlertSettings } from '../../monitoring/alerts/alert-settings';
import { noNamespace } from '../../monitoring/projection/monitored-backend';
import { askDatabase } from '../ask-database';
import type { ControlContext } from '../operation-context';
import { requireRole } from '../require-role';
import { ownPolicyOf, policyOfRow } from './namespace-directory';

/** The settings of a namespace. */
export interface NamespaceSettings {
  name: string;
  backend: string;
  createdAt: number;
  policy: NamespacePolicy;
  /** Its own bounds; null: it has the default. */
  ownPolicy: Partial<NamespacePolicy> | null;
  alertRules: AlertRules;
  hasOwnAlertRules: boolean;
}

/** The settings of each namespace, by name. Needs no backend. */
export async function listNamespaceSettings(ctx: ControlContext): Promise<NamespaceSettings[]> {
  await requireRole(ctx, 'viewer');
  const { database } = ctx.runtime;
  const { namespaces } = database.tables;
  const exists = isNull(namespaces.removedAt);
  const rows = await askDatabase(() =>
    database.db.select().from(namespaces).where(exists).orderBy(asc(namespaces.id)),
  );
  const rules = await askDatabase(() => new AlertSettings(database).ownRules());
  return rows.map((row) => ({
    name: row.id,
    backend: row.backend,
    createdAt: row.createdAt,
    policy: policyOfRow(row),
    ownPolicy: ownPolicyOf(row.policy),
    alertRules: rules.get(row.id) ?? DEFAULT_ALERT_RULES,
    hasOwnAlertRules: rules.has(row.id),
  }));
}

/** @throws LockyardError `NOT_FOUND` */
export async function namespaceSettings(
  ctx: ControlContext,
  name: string,
): Promise<NamespaceSettings> {
  const settings = (await listNamespaceSettings(ctx)).find((each) => each.name === name);
  if (!settings) throw noNamespace(name);
  return settings;
}
