import type { NewSession } from './session-keeper';

const PLAIN_NAME = 'lockyard_session';
/** Browsers keep this one only from encrypted connections, for this host alone. */
const SECURE_NAME = `__Host-${PLAIN_NAME}`;

/** The session's value in a `Cookie` header, or null. */
export function readSessionCookie(
  header: string | null | undefined,
  secure: boolean,
): string | null {
  const wanted = `${cookieName(secure)}=`;
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length) || null;
}

/** The `Set-Cookie` that gives the browser a session until it ends; for null, the one that takes it away. */
export function sessionCookie(session: NewSession | null, secure: boolean): string {
  const maxAgeSeconds = Math.floor((session?.maxAgeMs ?? 0) / 1_000);
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${maxAgeSeconds}`];
  if (secure) attributes.push('Secure');
  return `${cookieName(secure)}=${session?.value ?? ''}; ${attributes.join('; ')}`;
}

function cookieName(secure: boolean): string {
  return secure ? SECURE_NAME : PLAIN_NAME;
}
