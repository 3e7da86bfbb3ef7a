/**
 * Whether a caller has this version already, by the weak comparison that RFC 9110 asks for: a proxy
 * that compresses an answer makes its tag a weak one.
 *
 * @param header `If-None-Match` as it came
 */
export function hasVersion(header: string | undefined, etag: string): boolean {
  const known = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(etag);
}
