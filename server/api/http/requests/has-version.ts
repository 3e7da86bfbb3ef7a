/**
 * Whether a caller has this version already, by the weak comparison of RFC 9110: a proxy that
 * compresses an answer weakens its tag.
 *
 * @param header `If-None-Match` as it came
 */
export function hasVersion(header: string | undefined, etag: string): boolean {
  const known = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(etag);
}
