import type { NewSession } from './session-manager';

/** A cookie for this server only, with a limited age. */
export interface Cookie {
  name: string;
  /** Empty: the browser deletes the cookie. */
  value: string;
  maxAgeMs: number;
}

/** The value of a cookie in a `Cookie` header, or null. */
export function readCookie(
  header: string | null | undefined,
  name: string,
  secure: boolean,
): string | null {
  const wanted = `${fullName(name, secure)}=`;
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length) || null;
}

/** The `Set-Cookie` header of a cookie that scripts cannot read and other sites cannot send. */
export function cookieHeader({ name, value, maxAgeMs }: Cookie, secure: boolean): string {
  const maxAge = `Max-Age=${Math.floor(maxAgeMs / 1_000)}`;
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict', maxAge];
  if (secure) attributes.push('Secure');
  return `${fullName(name, secure)}=${value}; ${attributes.join('; ')}`;
}

/** Browsers accept a name with this prefix only over an encrypted connection, for this host. */
const fullName = (name: string, secure: boolean) => (secure ? `__Host-${name}` : name);

const NAME = 'lockyard_session';

/** The session's value in a `Cookie` header, or null. */
export function readSessionCookie(
  header: string | null | undefined,
  secure: boolean,
): string | null {
  return readCookie(header, NAME, secure);
}

/** The `Set-Cookie` header of a session until it ends; for null, the one that deletes it. */
export function sessionCookie(session: NewSession | null, secure: boolean): string {
  const { value, maxAgeMs } = session ?? { value: '', maxAgeMs: 0 };
  return cookieHeader({ name: NAME, value, maxAgeMs }, secure);
}
