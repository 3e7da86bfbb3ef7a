/**
 * Names of values that are instants or durations, and so depend on when exactly a command was
 * decided.
 */
const INSTANT = /^at$|^until$|At$|Ms$|Until$/;

/**
 * Names of values whose first one, when a lock or counter is created, is drawn from the clock.
 */
const DRAWN_FROM_CLOCK = /^rev$|^token$|^lastToken$|^minValidToken$/;

/**
 * The first difference between two values, as a path and both sides; null if they are the same.
 *
 * @param slackMs how far instants and durations may be apart
 * @param isCreated whether revs and tokens may be as far apart, because the record was just created
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
