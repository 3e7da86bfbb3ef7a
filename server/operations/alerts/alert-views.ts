import type {
  AlertPage,
  AlertRulesRow,
  AlertSubject,
  AlertSummary,
  ReceiverRow,
} from '../../contract/console/alerts/alert-row';
import { type AlertRules, DEFAULT_ALERT_RULES } from '../../contract/console/alerts/alert-rules';
import { alertKey } from '../../core/alerts/alert';
import { isClear, isCounterClear } from '../../core/alerts/alert-clear';
import { alertSummary } from '../../core/alerts/alert-summary';
import { AlertSettings } from '../../monitoring/alerts/alert-settings';
import { AlertTable } from '../../monitoring/alerts/alert-table';
import { ReceiverTable } from '../../monitoring/alerts/receiver-table';
import { SharedReadings } from '../../monitoring/shared-readings';
import { askDatabase } from '../ask-database';
import type { OperationContext, Runtime } from '../operation-context';
import { requireRole } from '../require-role';

/** How many alerts of each kind a page lists. */
const LISTED_MAX = 200;

/** The greatest age of the shared page: the database is read no more often. */
const KEPT_MS = 1_000;

/** The page that all viewers of a process share. */
const shared = new WeakMap<Runtime, SharedReadings<AlertPage>>();

/** Firing and resolved alerts, silences and receivers; at most about 2 s old. */
export async function listAlerts(ctx: OperationContext): Promise<AlertPage> {
  await requireRole(ctx, 'viewer');
  const { runtime } = ctx;
  const pages = shared.get(runtime) ?? new SharedReadings<AlertPage>(runtime.clock, KEPT_MS);
  shared.set(runtime, pages);
  return pages.get('all', () => askDatabase(() => readPage(runtime)));
}

/** The alerts in brief, as every page shows them. */
export async function summariseAlerts(ctx: OperationContext): Promise<AlertSummary> {
  return alertSummary(await listAlerts(ctx));
}

/** Drops the shared page, so that the next viewer gets what the database has. */
export const forgetAlerts = (runtime: Runtime): void => void shared.delete(runtime);

/** The rules of every namespace. */
export async function listAlertRules(ctx: OperationContext): Promise<AlertRulesRow[]> {
  await requireRole(ctx, 'viewer');
  const { database, namespaces } = ctx.runtime;
  const own = await askDatabase(() => new AlertSettings(database).ownRules());
  return [...namespaces.all()]
    .map(({ name }) => ({
      namespace: name,
      rules: own.get(name) ?? DEFAULT_ALERT_RULES,
      isOwn: own.has(name),
    }))
    .sort((a, b) => (a.namespace < b.namespace ? -1 : 1));
}

/** Whether this process knows that the cause of a firing alert has ended. */
function isClearNow(
  { projection, engines, runsMaintenance }: Runtime,
  { kind, backend, namespace, name }: AlertSubject,
  rules: AlertRules,
): boolean {
  // This server may reach a backend that the one which watches for alerts does not reach.
  if (name === null) return runsMaintenance() && engines.get(backend)?.health().reachable === true;
  if (kind === 'counterNear') {
    const counter = projection.counters.row(namespace, name);
    return counter?.backend === backend && isCounterClear(counter, rules);
  }
  const row = projection.row(namespace, name);
  return row?.backend === backend && isClear(kind, row);
}

/** The keys of firing alerts whose cause has ended, as far as this process knows. */
async function clearAlerts(
  runtime: Runtime,
  firing: readonly AlertSubject[],
  settings: AlertSettings,
): Promise<Set<string>> {
  const clear = new Set<string>();
  if (firing.length === 0) return clear;
  const rules = await settings.ownRules();
  await runtime.projection.table.slice().forEach(firing, (alert) => {
    const own = rules.get(alert.namespace) ?? DEFAULT_ALERT_RULES;
    if (isClearNow(runtime, alert, own)) clear.add(alertKey(alert));
  });
  return clear;
}

async function readPage(runtime: Runtime): Promise<AlertPage> {
  const { database, clock, config } = runtime;
  const alerts = new AlertTable(database);
  const settings = new AlertSettings(database);
  const now = clock.now();
  const states = await new ReceiverTable(database).all();
  const firing = await alerts.firing(LISTED_MAX, now);
  const all = firing.length < LISTED_MAX ? firing : await alerts.firingSubjects();
  const clear = await clearAlerts(runtime, all, settings);
  return {
    firing: firing.map((alert) =>
      clear.has(alertKey(alert)) ? { ...alert, isClear: true } : alert,
    ),
    firingTotal: all.length,
    clearTotal: clear.size,
    resolved: await alerts.resolved(LISTED_MAX, now),
    silences: await settings.silences(now),
    receivers: config.receivers.map(({ id, format, url }): ReceiverRow => {
      const state = states.get(id);
      const { pending = null, sent = 0, sentAt = null, failure = null } = state ?? {};
      return {
        id,
        format,
        host: new URL(url).host,
        sent,
        sentAt,
        pending: pending && {
          since: pending.message.at,
          attempts: pending.attempts,
          nextAttemptAt: pending.nextAttemptAt,
        },
        failure,
      };
    }),
    asOf: now,
  };
}
