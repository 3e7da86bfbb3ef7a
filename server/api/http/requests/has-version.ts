import { createHash } from 'node:crypto';

/** The tag of a content that does not change, for `ETag`. */
export function versionOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/**
 * Whether a caller already has this version, by the weak comparison of RFC 9110: a proxy that
 * compresses an answer weakens its tag.
 *
 * @param header `If-None-Match` as sent
 */
export function hasVersion(header: string | undefined, etag: string): boolean {
  const known = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(etag);
}
