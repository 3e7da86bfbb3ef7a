/** The size of the column. */
const MAX_BYTES = 255;

/** As much of an audit entry's subject as there is room for. */
export function auditSubject(subject: string): string {
  const bytes = Buffer.from(subject);
  if (bytes.length <= MAX_BYTES) return subject;
  // Decoded as a part of a stream, which leaves out half a character at its end.
  return new TextDecoder().decode(bytes.subarray(0, MAX_BYTES), { stream: true });
}
