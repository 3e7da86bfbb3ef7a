/** A cookie that only this server reads, and only for as long as it says. */
export interface Cookie {
  name: string;
  /** Empty: the browser forgets it. */
  value: string;
  maxAgeMs: number;
}

/** What a `Cookie` header has under a name, or null. */
export function readCookie(
  header: string | null | undefined,
  name: string,
  secure: boolean,
): string | null {
  const wanted = `${fullName(name, secure)}=`;
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length) || null;
}

/** The `Set-Cookie` for it: out of reach of scripts and of other sites. */
export function cookieHeader({ name, value, maxAgeMs }: Cookie, secure: boolean): string {
  const maxAge = `Max-Age=${Math.floor(maxAgeMs / 1_000)}`;
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict', maxAge];
  if (secure) attributes.push('Secure');
  return `${fullName(name, secure)}=${value}; ${attributes.join('; ')}`;
}

/** Browsers keep what begins so only from encrypted connections, for this host alone. */
const fullName = (name: string, secure: boolean) => (secure ? `__Host-${name}` : name);
