import type { Role } from '../../contract/console/console-terms';
import { LockyardError } from '../../contract/errors';
import { ACT_ANSWER_MAX_MS, ACT_LANDS_WITHIN_MS } from '../../core/timing';
import { unknownOutcome } from '../../engine/refusals';
import { askDatabase } from '../ask-database';
import { confirmRole } from '../confirm-role';
import type { ControlContext } from '../operation-context';
import type { AuditActor } from './audit-actor';
import { closeIntent, openIntent, tryToClose } from './audit-log';
import type { AuditedAct } from './audited-act';
import { closeDone, REPEATED } from './close-done';
import { permit } from './permit';

/** An act whose intent is written, and which is about to be carried out. */
export interface StartedAct {
  intent: string;
  who: AuditActor;
  /** How long it may still be applied, in ms: after that, others assume that it never will be. */
  leftMs(): number;
  /** Set when the act turns out to have been applied before, under the same request id. */
  isRepeat: boolean;
}

/** The progress of an act. */
interface Progress<A> {
  hasStarted: boolean;
  /** Its caller was answered: an act that has not started by then must not start. */
  isOver: boolean;
  /** Set before it is written to the audit log. */
  outcome: { answer: A } | { error: unknown } | null;
}

/**
 * Runs an operator's act on locks or counters, in the order: permission, intent, act, outcome.
 * Without a written intent nothing is done. An act whose outcome is unknown, or could not be
 * written, stays pending: `resolveAuditIntents` finds it out.
 *
 * @param auditedResult what the audit log keeps of the answer; all of it if absent
 * @throws LockyardError as `run`; `BACKEND_DOWN` or `UNKNOWN` where there is no answer within 5 s
 */
export async function runAuditedAct<A extends { outcome: string }>(
  ctx: ControlContext,
  what: AuditedAct,
  run: (act: StartedAct) => Promise<A>,
  auditedResult: (answer: A) => Record<string, unknown> = (answer) => ({ ...answer }),
): Promise<A> {
  const { clock } = ctx.runtime;
  const startedAt = clock.monotonic();
  const leftMs = () => ACT_LANDS_WITHIN_MS - (clock.monotonic() - startedAt);
  const who = await permit(ctx, 'operator', what);
  const progress: Progress<A> = { hasStarted: false, isOver: false, outcome: null };
  const carryOut = async () => {
    const intent = await openIntent(ctx, who, what);
    const refusal = await refusalNow(ctx, who.role);
    if (progress.isOver) return closeFailed(ctx, intent, notStarted());
    if (refusal) {
      progress.outcome = { error: refusal };
      return closeFailed(ctx, intent, refusal, 'refused');
    }
    progress.hasStarted = true;
    const act: StartedAct = { intent, who, leftMs, isRepeat: false };
    try {
      const answer = await run(act);
      progress.outcome = { answer };
      const outcome = OUTCOMES[answer.outcome] ?? 'done';
      const result = auditedResult(answer);
      const done = { ...what, intent };
      if (act.isRepeat) await closeUnapplied(ctx, intent, 'not_applied', { message: REPEATED });
      else if (outcome !== 'done') await closeUnapplied(ctx, intent, outcome, result);
      else await tryToClose(ctx.runtime, intent, () => closeDone(ctx.runtime, done, result));
    } catch (error) {
      progress.outcome = { error };
      await closeFailed(ctx, intent, error);
    }
  };
  await inTime(carryOut());
  progress.isOver = true;
  const { hasStarted, outcome } = progress;
  if (outcome === null) throw hasStarted ? unknownOutcome(null) : notStarted();
  if ('error' in outcome) throw outcome.error;
  return outcome.answer;
}

/**
 * Why the act is refused after all; null if it is not: until the intent was written, which may have
 * taken long, the role may have been lowered or the session ended.
 */
async function refusalNow(ctx: ControlContext, role: Role): Promise<LockyardError | null> {
  const { database } = ctx.runtime;
  if (ctx.actor?.kind !== 'user') return null;
  try {
    await askDatabase(() => database.transaction((tx) => confirmRole(ctx, tx, role)));
    return null;
  } catch (error) {
    if (error instanceof LockyardError) return error;
    throw error;
  }
}

/** Resolves when the work is done, or its caller must be answered; the work continues. */
async function inTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ACT_ANSWER_MAX_MS);
  });
  work.catch(() => undefined);
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function notStarted(): LockyardError {
  const text = 'The control database is not responding. Nothing was changed.';
  return new LockyardError('BACKEND_DOWN', text, { retryAfterMs: 1_000 });
}

/** The outcomes of answers after which nothing was done. */
const OUTCOMES: Record<string, 'changed' | 'not_applied'> = {
  changed: 'changed',
  otherCapacity: 'changed',
  otherFreeze: 'changed',
  waiterWantsMore: 'not_applied',
  notReassigned: 'not_applied',
  unchanged: 'not_applied',
  exists: 'not_applied',
  outOfBounds: 'not_applied',
  nothing: 'not_applied',
};

async function closeFailed(
  ctx: ControlContext,
  intent: string,
  error: unknown,
  otherwise: 'failed' | 'refused' = 'failed',
): Promise<void> {
  if (!(error instanceof LockyardError) || error.reason === 'UNKNOWN') return;
  const { reason, message } = error;
  const isNotApplied = reason === 'BACKEND_DOWN' || reason === 'CONTENDED';
  await closeUnapplied(ctx, intent, isNotApplied ? 'not_applied' : otherwise, { reason, message });
}

async function closeUnapplied(
  { runtime }: ControlContext,
  intent: string,
  outcome: 'changed' | 'refused' | 'failed' | 'not_applied',
  result: Record<string, unknown>,
): Promise<void> {
  await tryToClose(runtime, intent, () => closeIntent(runtime, intent, { outcome, result }));
}
