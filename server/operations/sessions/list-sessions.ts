import type { OpenSession } from '../../auth/sessions/open-sessions';
import { askDatabase } from '../ask-database';
import type { ControlContext } from '../operation-context';
import { requireUser } from '../require-user';

/** A session as its own user sees it. */
export interface SessionSummary extends Omit<OpenSession, 'sessionId' | 'publicId'> {
  /** Identifies the session to its user; gives no access. */
  id: string;
  /** The session of this call. */
  isCurrent: boolean;
}

/** The caller's own open sessions, at most 200: this one first, then those used last. */
export async function listSessions(ctx: ControlContext): Promise<SessionSummary[]> {
  const { userId, sessionId: own } = await requireUser(ctx, 'sessions');
  const rows = await askDatabase(() => ctx.runtime.sessions.open.list(userId));
  return rows
    .map(({ sessionId, publicId: id, ...row }) => ({ id, isCurrent: sessionId === own, ...row }))
    .sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
}
