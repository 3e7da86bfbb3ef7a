/** A record that no version of Lockyard wrote. Its message, a sentence, says what is wrong. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
}

/** @throws UnreadableRecord for a rev that is not an exact whole number: no version wrote that */
export function requireValidRev(rev: number): void {
  if (Number.isSafeInteger(rev) && rev >= 0) return;
  throw new UnreadableRecord('Its rev is not one that Lockyard writes.');
}

/** What is wrong with a record that could not be decoded. */
export function describeUnreadable(cause: unknown): string {
  if (cause instanceof UnreadableRecord) return cause.message;
  return 'Its text is not what any version of Lockyard writes.';
}
