import { createHmac, randomBytes } from 'node:crypto';
import { DAY_MS } from '../../core/time-units';
import { hashText, isSameHash } from '../hash-text';

/** How long a browser counts as known after it has signed in to an account. */
export const KNOWN_BROWSER_MAX_MS = 180 * DAY_MS;

const ID_BYTES = 16;
const SHAPE = /^([\w-]{22})\.([0-9a-z]{1,11})\.([\w-]{43})$/;

/**
 * A cookie value for a browser that has signed in to an account. It gives no access, but sign-in
 * attempts with it are counted apart from those of other browsers. Signed with the installation's
 * secret, and valid for this account only.
 */
export function createKnownBrowserToken(userId: string, secret: string, now: number): string {
  const id = randomBytes(ID_BYTES).toString('base64url');
  const expiresAt = (now + KNOWN_BROWSER_MAX_MS).toString(36);
  return `${id}.${expiresAt}.${signature(userId, secret, `${id}.${expiresAt}`)}`;
}

/** The browser's id in a token; null if that is forged, expired or of another account. */
export function verifyKnownBrowserToken(
  token: string | null,
  userId: string,
  secret: string,
  now: number,
): string | null {
  const [, id, expiresAt, signed] = SHAPE.exec(token ?? '') ?? [];
  if (!id || !expiresAt || !signed || Number.parseInt(expiresAt, 36) <= now) return null;
  return isSameHash(signed, signature(userId, secret, `${id}.${expiresAt}`)) ? id : null;
}

/** A browser can be known to several accounts, each by a cookie whose name does not reveal it. */
export function knownBrowserCookieName(userId: string): string {
  return `lockyard_browser_${hashText(`browser\0${userId}`).slice(0, 12)}`;
}

function signature(userId: string, secret: string, text: string): string {
  const hmac = createHmac('sha256', secret);
  return hmac.update(`lockyard known browser\0${userId}\0${text}`).digest('base64url');
}
