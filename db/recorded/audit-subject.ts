/** The size of the column. */
const MAX_BYTES = 255;

/** The subject of an audit entry, truncated to the size of the column. */
export function auditSubject(subject: string): string {
  const bytes = Buffer.from(subject);
  if (bytes.length <= MAX_BYTES) return subject;
  // Decoded as part of a stream, which omits an incomplete character at the end.
  return new TextDecoder().decode(bytes.subarray(0, MAX_BYTES), { stream: true });
}
