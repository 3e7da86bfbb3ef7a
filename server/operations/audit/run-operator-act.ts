import type { Role } from '../../contract/console/console-terms';
import { LockyardError } from '../../contract/errors';
import { unknownOutcome } from '../../engine/refusals';
import type { ControlContext } from '../operation-context';
import { type ConsoleActor, requireRole } from '../require-role';
import type { StartedAct } from './act-request';
import { type AuditedAct, auditActor, closeIntent, openIntent } from './audit-log';

/** The caller, who may do this. A refused try is written down too. Throws as `requireRole`. */
export async function permit(
  ctx: ControlContext,
  role: Role,
  what: AuditedAct,
): Promise<ConsoleActor> {
  try {
    return await requireRole(ctx, role);
  } catch (refusal) {
    const { actor } = ctx;
    if (actor?.kind === 'user' && refusal instanceof LockyardError) {
      await ctx.runtime.refusedActs.record(ctx, auditActor(actor), what, refusal.message);
    }
    throw refusal;
  }
}

/** Nothing of an act lands later than this after its intent was asked for. */
export const LANDS_WITHIN_MS = 10_000;

/** The operator gets an answer within this time, whatever database and backend do. */
const ANSWER_WITHIN_MS = 4_700;

/** How far an act has come. */
interface Progress<A> {
  hasBegun: boolean;
  /** Its caller was answered: what has not begun by now must not. */
  isOver: boolean;
  /** What came of it, while that is being written down. */
  told: { answer: A } | { error: unknown } | null;
}

/**
 * Does something outside the control database, in the order: permission, intent, act, outcome.
 * Without a written intent nothing is done. An act whose outcome could not be written, or is not
 * known, stays pending: `resolveAuditIntents` finds out.
 *
 * @param run is given the entry, for the act's own request id and its latest instant, and the
 *   actor's name
 * @param kept what the audit log keeps of the answer; all of it if absent
 * @throws LockyardError as `run`; `BACKEND_DOWN` or `UNKNOWN` where there is no answer within 5 s
 */
export async function runOperatorAct<A extends { outcome: string }>(
  ctx: ControlContext,
  role: Role,
  what: AuditedAct,
  run: (entry: StartedAct, by: string) => Promise<A>,
  kept: (answer: A) => Record<string, unknown> = (answer) => ({ ...answer }),
): Promise<A> {
  const { clock } = ctx.runtime;
  const beganAt = clock.monotonic();
  const leftMs = () => LANDS_WITHIN_MS - (clock.monotonic() - beganAt);
  const who = auditActor(await permit(ctx, role, what));
  const course: Progress<A> = { hasBegun: false, isOver: false, told: null };
  const carryOut = async () => {
    const intent = await openIntent(ctx, who, what);
    if (course.isOver) return closeFailed(ctx, intent, notStarted());
    course.hasBegun = true;
    const { seen = {}, reason = '' } = what;
    try {
      const answer = await run({ intent, who, seen, reason, leftMs }, who.name);
      course.told = { answer };
      await tryToClose(ctx, intent, OUTCOMES[answer.outcome] ?? 'done', kept(answer));
    } catch (error) {
      course.told = { error };
      await closeFailed(ctx, intent, error);
    }
  };
  await inTime(carryOut());
  course.isOver = true;
  if (course.told === null) throw course.hasBegun ? unknownOutcome(null) : notStarted();
  if ('error' in course.told) throw course.told.error;
  return course.told.answer;
}

/**
 * Resolves when the work is done, or when its caller should not wait any longer; the work then goes
 * on.
 */
async function inTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ANSWER_WITHIN_MS);
  });
  work.catch(() => undefined);
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function notStarted(): LockyardError {
  const text = 'The control database does not answer. Nothing was changed.';
  return new LockyardError('BACKEND_DOWN', text, { retryAfterMs: 1_000 });
}

/** Answers that say that nothing was done. */
const OUTCOMES: Record<string, 'changed' | 'not_applied'> = {
  changed: 'changed',
  exists: 'not_applied',
  outOfBounds: 'not_applied',
  nothing: 'not_applied',
};

async function closeFailed(ctx: ControlContext, intent: string, error: unknown): Promise<void> {
  if (!(error instanceof LockyardError) || error.reason === 'UNKNOWN') return;
  const { reason, message } = error;
  const isNotApplied = reason === 'BACKEND_DOWN' || reason === 'CONTENDED';
  await tryToClose(ctx, intent, isNotApplied ? 'not_applied' : 'failed', { reason, message });
}

/**
 * The act has been done: its caller must be told so, even if another process writes its outcome
 * later.
 */
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
