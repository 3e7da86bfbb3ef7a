import type { Role } from '../domain/console-terms';
import { LockyardError } from '../domain/errors';
import type { WrittenAct } from './act-request';
import { type AuditedAct, auditActor, closeIntent, openIntent, recordRefusal } from './audit-log';
import type { ControlContext } from './operation-context';
import { type Person, requireRole } from './require-role';

/** The caller, who may do this. A refused try is written down too. Throws as `requireRole`. */
export async function permit(ctx: ControlContext, role: Role, what: AuditedAct): Promise<Person> {
  try {
    return await requireRole(ctx, role);
  } catch (refusal) {
    const { actor } = ctx;
    if (actor?.kind === 'user' && refusal instanceof LockyardError) {
      await recordRefusal(ctx, auditActor(actor), what, refusal.message);
    }
    throw refusal;
  }
}

/**
 * Does something outside the control database, in the order: permission, intent, act, outcome. Without a written intent
 * nothing is done. An act whose outcome could not be written, or is not known, stays pending: `resolveAuditIntents` finds
 * out.
 *
 * @param run is given the entry, for the act's own request id, and the actor's name
 */
export async function withAudit<A extends { outcome: string }>(
  ctx: ControlContext,
  role: Role,
  what: AuditedAct,
  run: (entry: WrittenAct, by: string) => Promise<A>,
): Promise<A> {
  const who = auditActor(await permit(ctx, role, what));
  const intent = await openIntent(ctx, who, what);
  try {
    const { seen = {}, reason = '' } = what;
    const answer = await run({ intent, who, seen, reason }, who.name);
    await tryToClose(ctx, intent, OUTCOMES[answer.outcome] ?? 'done', { ...answer });
    return answer;
  } catch (error) {
    await closeFailed(ctx, intent, error);
    throw error;
  }
}

/** Answers that say that nothing was done. */
const OUTCOMES: Record<string, 'changed' | 'not_applied'> = {
  changed: 'changed',
  exists: 'not_applied',
  outOfBounds: 'not_applied',
};

async function closeFailed(ctx: ControlContext, intent: string, error: unknown): Promise<void> {
  if (!(error instanceof LockyardError) || error.reason === 'UNKNOWN') return;
  const { reason, message } = error;
  const isNotApplied = reason === 'BACKEND_DOWN' || reason === 'CONTENDED';
  await tryToClose(ctx, intent, isNotApplied ? 'not_applied' : 'failed', { reason, message });
}

/** The act has been done: whoever did it must hear so, though its outcome is written later by others. */
async function tryToClose(
  { runtime }: ControlContext,
  intent: string,
  outcome: 'done' | 'changed' | 'failed' | 'not_applied',
  result: Record<string, unknown>,
): Promise<void> {
  try {
    await closeIntent(runtime, runtime.database.db, intent, outcome, result);
  } catch (err) {
    runtime.log.warn({ err, intent }, 'the outcome of an audited act is written later');
  }
}
