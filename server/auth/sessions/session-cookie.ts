import { cookieHeader, readCookie } from './cookie';
import type { NewSession } from './session-manager';

const NAME = 'lockyard_session';

/** The session's value in a `Cookie` header, or null. */
export function readSessionCookie(
  header: string | null | undefined,
  secure: boolean,
): string | null {
  return readCookie(header, NAME, secure);
}

/**
 * The `Set-Cookie` header that gives the browser a session until it ends; for null, the one that
 * deletes the session's cookie.
 */
export function sessionCookie(session: NewSession | null, secure: boolean): string {
  const { value, maxAgeMs } = session ?? { value: '', maxAgeMs: 0 };
  return cookieHeader({ name: NAME, value, maxAgeMs }, secure);
}
