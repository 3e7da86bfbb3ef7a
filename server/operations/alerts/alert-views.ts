import type {
  AlertPage,
  AlertRow,
  AlertRulesRow,
  AlertSummary,
  ReceiverRow,
} from '../../contract/console/alerts/alert-row';
import { DEFAULT_ALERT_RULES } from '../../contract/console/alerts/alert-rules';
import { isClear } from '../../core/alerts/alert-clear';
import { AlertSettings } from '../../monitoring/alerts/alert-settings';
import { AlertTable } from '../../monitoring/alerts/alert-table';
import { ReceiverTable } from '../../monitoring/alerts/receiver-table';
import { askDatabase } from '../ask-database';
import type { OperationContext, Runtime } from '../operation-context';
import { requireRole } from '../require-role';

/** How many alerts of each kind a page lists. */
const LISTED_MAX = 200;

/** So old at most is what a viewer gets; so often at most is the database asked. */
const KEPT_MS = 1_000;

/** What viewers share, by process. */
const shared = new WeakMap<Runtime, { at: number; page: Promise<AlertPage> }>();

/** What fires, what was resolved, silences and receivers; about 2 s old at most. */
export async function listAlerts(ctx: OperationContext): Promise<AlertPage> {
  await requireRole(ctx, 'viewer');
  const { runtime } = ctx;
  const now = runtime.clock.monotonic();
  const known = shared.get(runtime);
  if (known && now - known.at < KEPT_MS) return known.page;
  const reading = { at: now, page: askDatabase(() => readPage(runtime)) };
  shared.set(runtime, reading);
  reading.page.catch(() => forgetAlerts(runtime));
  return reading.page;
}

/** What every page shows of them. */
export async function summariseAlerts(ctx: OperationContext): Promise<AlertSummary> {
  const { firingTotal, receivers, asOf } = await listAlerts(ctx);
  const failing = receivers.filter(({ failure }) => failure !== null).length;
  return { firing: firingTotal, failing, asOf };
}

/** The next viewer gets what the database has by then. */
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

/** A firing alert as its lock is known here now. */
function asKnownNow({ projection }: Runtime, alert: AlertRow): AlertRow {
  const { kind, backend, namespace, name } = alert;
  const row = name === null ? null : projection.row(namespace, name);
  return row?.backend === backend && isClear(kind, row) ? { ...alert, isClear: true } : alert;
}

async function readPage(runtime: Runtime): Promise<AlertPage> {
  const { database, clock, config } = runtime;
  const alerts = new AlertTable(database);
  const now = clock.now();
  const states = await new ReceiverTable(database).all();
  return {
    firing: (await alerts.firing(LISTED_MAX)).map((alert) => asKnownNow(runtime, alert)),
    firingTotal: await alerts.countFiring(),
    resolved: await alerts.resolved(LISTED_MAX),
    silences: await new AlertSettings(database).silences(now),
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
