const EVIDENCE_MAX_CHARS = 200;

/** The evidence of a witness as people see it: one line of printable text, cut if it is long. */
export function printableEvidence(text: string): string {
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return [...line].slice(0, EVIDENCE_MAX_CHARS).join('');
}
