/**
 * The fields that an answer of each procedure must have, by its outcome; `''` for answers without
 * one. A field that the server gains later does not belong here: older servers do not send it.
 */
export const ANSWER_NEEDS: Record<string, Record<string, readonly string[]>> = {
  'lock.acquire': {
    granted: ['token', 'expiresAt', 'expiresInMs', 'waitedMs'],
    held: [],
    queued: [],
    timeout: [],
    queueFull: [],
    frozen: ['reason'],
    ended: ['token', 'cause'],
  },
  'lock.cancel': { cancelled: [], released: [], none: [] },
  'lock.acquireMany': {
    granted: ['grants'],
    held: [],
    queued: [],
    timeout: [],
    queueFull: [],
    frozen: ['reason'],
    ended: ['grants'],
  },
  'lock.cancelMany': { cancelled: [], released: [], none: [] },
  'lock.renew': { renewed: ['expiresAt', 'expiresInMs'], released: [], lost: ['cause'] },
  'lock.release': { released: [], decremented: [], lost: ['cause'] },
  'lock.inspect': { '': ['state'] },
  'lock.list': { '': ['locks'] },
  'lock.watch': { '': ['locks', 'position'] },
  'lock.check': { '': ['valid'] },
  'counter.create': { created: [], exists: ['value'] },
  'counter.add': { applied: ['value'], outOfBounds: ['value'] },
  'counter.get': { '': ['value'] },
  'witness.report': { '': ['processes', 'lookAgainInMs'] },
};

/** What an answer lacks to say what was done, as a phrase for a message; null: nothing. */
export function missingIn(procedure: string, data: object): string | null {
  const fields = data as Record<string, unknown>;
  const outcomes = ANSWER_NEEDS[procedure] ?? {};
  const outcome = '' in outcomes ? '' : fields.outcome;
  if (typeof outcome !== 'string' || !Object.hasOwn(outcomes, outcome)) return 'known outcome';
  const missing = outcomes[outcome]?.find((name) => isMissing(name, fields[name]));
  return missing === undefined ? null : `"${missing}"`;
}

/** Those of a grant and a renewal, with which the client calculates, or which it sends back. */
const NUMBERS: ReadonlySet<string> = new Set(['token', 'expiresAt', 'expiresInMs', 'waitedMs']);

/** JSON may have numbers that are not exact here: a token would be that of another hold. */
function isMissing(name: string, value: unknown): boolean {
  if (!NUMBERS.has(name)) return (value ?? null) === null;
  return typeof value !== 'number' || Math.abs(value) >= 2 ** 53;
}
