/**
 * Names of values that are instants or spans of time, and so differ by when exactly a command was
 * decided.
 */
const INSTANT = /^at$|^until$|At$|Ms$|Until$/;

/**
 * Names of values that a lock or counter begins with, drawn from the clock when it is first
 * written.
 */
const DRAWN_FROM_CLOCK = /^rev$|^token$|^lastToken$|^minValidToken$/;

/**
 * The first difference between two values, as a path and both sides; null where they are the same.
 *
 * @param slackMs how far instants and spans may be apart
 * @param isCreated whether revs and tokens may be as far apart, because the record was just written
 *   for the first time
 */
export function differenceBeyondTime(
  here: unknown,
  there: unknown,
  { slackMs, isCreated }: { slackMs: number; isCreated: boolean },
  path = '',
): string | null {
  if (Object.is(here, there)) return null;
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (typeof here === 'number' && typeof there === 'number') {
    const mayDiffer = INSTANT.test(name) || (isCreated && DRAWN_FROM_CLOCK.test(name));
    if (mayDiffer && Math.abs(here - there) <= slackMs) return null;
  }
  if (isObject(here) && isObject(there)) {
    const names = new Set([...Object.keys(here), ...Object.keys(there)]);
    for (const each of names) {
      const found = differenceBeyondTime(
        here[each],
        there[each],
        { slackMs, isCreated },
        `${path}.${Number.isInteger(Number(each)) ? `[${each}]` : each}`,
      );
      if (found) return found;
    }
    return null;
  }
  return `${path || 'the answer'}: ${JSON.stringify(here)} and ${JSON.stringify(there)}`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
