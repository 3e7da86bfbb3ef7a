import type { SessionRef } from '../../contract/console/access-inputs';
import { askDatabase } from '../ask-database';
import { auditActor, ownAccountActor } from '../audit/audit-actor';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import type { ControlContext } from '../operation-context';
import { requireUser } from '../require-user';
import { signOut } from './sign-out';

/**
 * Ends one of the caller's own sessions: immediately in this process, within 1 s in others. `ended`
 * is false if it had ended before, or is not the caller's, which is recorded like a refused act.
 * `signedOut`: it was the session of this call.
 *
 * @throws LockyardError `UNAUTHENTICATED` for a session that has ended, `BACKEND_DOWN`
 */
export async function endSession(
  ctx: ControlContext,
  { id }: SessionRef,
): Promise<{ ended: boolean; signedOut: boolean }> {
  const actor = await requireUser(ctx, 'sessions');
  const { sessions, refusedActs } = ctx.runtime;
  const own = await askDatabase(() => sessions.open.list(actor.userId));
  const chosen = own.find(({ publicId }) => publicId === id);
  if (chosen?.sessionId === actor.sessionId) return { ended: true, ...(await signOut(ctx)) };
  const what = { act: 'session.end', subject: actor.name } as const;
  if (!chosen) {
    await refusedActs.record(ctx, auditActor(actor), what, 'This user has no such session.');
    return { ended: false, signedOut: false };
  }
  const { sessionId, browser, address } = chosen;
  const done = { ...what, seen: { browser, address } };
  const ended = await auditedDatabaseChange(ctx, ownAccountActor(actor), done, async (tx) => {
    const answer = await sessions.end(tx, sessionId);
    return { answer, isUnchanged: !answer };
  });
  sessions.forget(actor.userId);
  return { ended, signedOut: false };
}

/**
 * Ends all sessions of the caller but this one, like `endSession`. `ended`: how many there were. If
 * there are none, nothing is audited: so a flood of calls cannot fill the audit log.
 *
 * @throws LockyardError as `endSession`
 */
export async function endOtherSessions(ctx: ControlContext): Promise<{ ended: number }> {
  const actor = await requireUser(ctx, 'sessions');
  const { sessions } = ctx.runtime;
  const isOnly = await askDatabase(() => sessions.isOnly(actor));
  if (isOnly) return { ended: 0 };
  const what = { act: 'session.endOthers', subject: actor.name } as const;
  const answer = await auditedDatabaseChange(ctx, ownAccountActor(actor), what, async (tx) => {
    const ended = await sessions.endAll(tx, actor.userId, actor.sessionId);
    return { answer: { ended }, result: { sessions: ended }, isUnchanged: ended === 0 };
  });
  sessions.forget(actor.userId);
  return answer;
}
