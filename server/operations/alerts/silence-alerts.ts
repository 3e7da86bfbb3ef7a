import { eq, gt, lt } from 'drizzle-orm';
import type { Database, Db } from '@/db/database';
import { randomText } from '../../auth/random-text';
import type { SilenceAlertsInput, SilenceRef } from '../../contract/console/alerts/alert-inputs';
import { SILENCE_MAX_MS } from '../../contract/console/alerts/alert-rules';
import { LockyardError } from '../../contract/errors';
import { SILENCE_ENDED, SILENCES_MAX } from '../../monitoring/alerts/alert-settings';
import { noNamespace } from '../../monitoring/projection/monitored-backend';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import { permit } from '../audit/permit';
import type { OperationContext } from '../operation-context';
import { forgetAlerts } from './alert-views';

const ID_CHARS = 16;

/**
 * Keeps alerts from being sent for a while. They still fire and are shown; what fires when it ends
 * is sent then.
 *
 * @throws LockyardError `NOT_FOUND` for a namespace that never existed, `INVALID` where there are
 *   too many silences; as `auditedDatabaseChange`
 */
export async function silenceAlerts(
  ctx: OperationContext,
  { forMs, reason, ...matcher }: SilenceAlertsInput,
): Promise<{ id: string; endsAt: number }> {
  const { runtime } = ctx;
  const { database } = runtime;
  const { alertSilences } = database.tables;
  const seen = { ...matcher, forMs };
  const what = {
    act: 'alert.silence',
    ...(matcher.namespace !== undefined && { namespace: matcher.namespace }),
    subject: describe(matcher),
    reason,
    seen,
  } as const;
  const who = await permit(ctx, 'operator', what);
  const createdAt = runtime.clock.now();
  const endsAt = createdAt + forMs;
  const id = randomText(ID_CHARS);
  const answer = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    await requireKnownNamespace(database, tx, matcher.namespace);
    // Only those that ended long ago: a clock that is ahead must delete none that is in force.
    await tx.delete(alertSilences).where(lt(alertSilences.endsAt, createdAt - SILENCE_MAX_MS));
    const inForce = await tx.$count(alertSilences, gt(alertSilences.endsAt, createdAt));
    if (inForce >= SILENCES_MAX) {
      throw new LockyardError('INVALID', `There are ${inForce} silences. End one first.`);
    }
    const row = {
      id,
      matcher: JSON.stringify(matcher),
      reason,
      actor: who.name,
      createdAt,
      endsAt,
    };
    await tx.insert(alertSilences).values(row);
    return { answer: { id, endsAt }, result: { endsAt } };
  });
  forgetAlerts(runtime);
  return answer;
}

/** One that was removed is known: its alerts may still be shown. */
async function requireKnownNamespace(
  { tables: { namespaces } }: Database,
  tx: Db,
  name: string | undefined,
): Promise<void> {
  if (name === undefined) return;
  const known = await tx.$count(namespaces, eq(namespaces.id, name));
  if (known === 0) throw noNamespace(name);
}

/**
 * Ends a silence now.
 *
 * @throws LockyardError `NOT_FOUND` if no such silence is in force; as `auditedDatabaseChange`
 */
export async function endSilence(
  ctx: OperationContext,
  { id }: SilenceRef,
): Promise<{ id: string }> {
  const { runtime } = ctx;
  const { database } = runtime;
  const { alertSilences } = database.tables;
  const what = { act: 'alert.endSilence', subject: id } as const;
  const who = await permit(ctx, 'operator', what);
  const now = runtime.clock.now();
  const isThis = eq(alertSilences.id, id);
  const answer = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    const [silence] = await database.forUpdate(tx.select().from(alertSilences).where(isThis));
    if (!silence) throw new LockyardError('NOT_FOUND', `There is no silence "${id}".`);
    if (silence.endsAt <= now) {
      throw new LockyardError('NOT_FOUND', 'This silence has ended already.');
    }
    await tx.update(alertSilences).set({ endsAt: SILENCE_ENDED }).where(isThis);
    const { matcher, reason, endsAt } = silence;
    return { answer: { id }, result: { ...JSON.parse(matcher), reason, wouldHaveEndedAt: endsAt } };
  });
  forgetAlerts(runtime);
  return answer;
}

/** What a silence matches, for the audit log. */
function describe({ namespace, kind, name }: Omit<SilenceAlertsInput, 'forMs' | 'reason'>): string {
  return [kind ?? 'all alerts', namespace && `in ${namespace}`, name && `of ${name}`]
    .filter(Boolean)
    .join(' ');
}
