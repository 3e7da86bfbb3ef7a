import { auditActor } from '../audit/audit-actor';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import type { ControlContext } from '../operation-context';

/** Ends the caller's session, in the browser and on the server; nothing if not signed in. */
export async function signOut(ctx: ControlContext): Promise<{ signedOut: boolean }> {
  const { actor, runtime } = ctx;
  if (actor?.kind !== 'user') return { signedOut: false };
  const what = { act: 'session.signOut', subject: actor.name } as const;
  await auditedDatabaseChange(ctx, auditActor(actor), what, async (tx) => {
    const isUnchanged = !(await runtime.sessions.end(tx, actor.sessionId));
    return { answer: null, isUnchanged };
  });
  runtime.sessions.forget(actor.userId);
  return { signedOut: true };
}
