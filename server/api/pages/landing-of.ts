import { readSessionCookie } from '../../auth/sessions/cookie';
import { landingPath, signInPath } from '../../core/paths/landing-path';
import type { Runtime } from '../../operations/operation-context';
import { getCurrentSession } from '../../operations/sessions/get-current-session';
import type { RequestScope } from '../http/requests/request-scope';

/**
 * The address to which this caller's page request is redirected; null if it gets the page. After
 * the sign-in the browser returns to the requested page.
 *
 * @param scope of a request for a page that exists
 * @throws LockyardError `BACKEND_DOWN` while the control database is not responding and the session
 *   is not cached
 */
export async function landingOf(
  runtime: Runtime,
  { req, isSecure, address, requestId, pathname, query }: RequestScope,
): Promise<string | null> {
  if (pathname === '/docs') return null;
  const actor = await runtime.sessions.resolve(readSessionCookie(req.headers.cookie, isSecure));
  const { user, setupNeeded } = await getCurrentSession({ runtime, actor, address, requestId });
  const entrance = setupNeeded ? '/setup' : '/sign-in';
  if (pathname === '/sign-in' || pathname === '/setup') {
    const isRight = user === null && pathname === entrance;
    if (isRight) return null;
    return user ? landingPath(query) : entrance;
  }
  if (user !== null) return null;
  return setupNeeded ? entrance : signInPath(pathname, query);
}
