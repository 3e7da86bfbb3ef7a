import type { EndUserSessionsInput } from '../../contract/console/access-inputs';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import type { ControlContext } from '../operation-context';
import { permitUserAct, selectUserForUpdate } from './find-user';

/**
 * Ends all sessions of a user, within 1 s at every server; they may sign in again. `ended`: how
 * many there were.
 */
export async function endUserSessions(
  ctx: ControlContext,
  { id }: EndUserSessionsInput,
): Promise<{ ended: number }> {
  const { database, sessions } = ctx.runtime;
  const { who, what } = await permitUserAct(ctx, 'user.endSessions', id, {});
  const answer = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    await selectUserForUpdate(database, tx, id);
    const ended = await sessions.endAll(tx, id);
    return { answer: { ended }, result: { sessions: ended }, isUnchanged: ended === 0 };
  });
  sessions.forget(id);
  return answer;
}
