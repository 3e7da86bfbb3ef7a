import { LockyardError } from '../errors';

/** Every option of `O`, by its name. */
export type OptionNames<O> = Record<keyof O, true>;

/**
 * Throws `INVALID` for the first option that `known` does not have: a misspelt one would otherwise
 * be ignored silently.
 */
export function refuseUnknownOptions<O>(
  call: string,
  options: unknown,
  known: OptionNames<O>,
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new LockyardError('INVALID', `The options of ${call} must be an object.`);
  }
  const unknown = Object.keys(options).find((option) => !Object.hasOwn(known, option));
  if (unknown === undefined) return;
  const all = Object.keys(known).sort().join(', ');
  throw new LockyardError('INVALID', `${call} has no option \`${unknown}\`. It has: ${all}.`);
}

/**
 * The arguments after the name; the options are optional. Throws `INVALID` without work, and if the
 * work is a generator function: none of it would run before the lock is released. The work that is
 * returned rejects with the same if it turns out to return a generator.
 */
export function optionsAndWork<O, H, T>(
  call: string,
  rest: [Work<H, T>] | [O, Work<H, T>],
): { options: O; work: (hold: H) => Promise<T> } {
  const [options, work] = rest.length === 1 ? [{} as O, rest[0]] : rest;
  if (typeof work !== 'function') {
    throw new LockyardError('INVALID', `${call} needs a function as its last argument: the work.`);
  }
  if (/GeneratorFunction]$/.test(kindOf(work))) throw lateWork(call);
  return {
    options,
    async work(hold) {
      const result = await work(hold);
      if (/Generator]$/.test(kindOf(result))) throw lateWork(call);
      return result;
    },
  };
}

type Work<H, T> = (hold: H) => Promise<T> | T;

const kindOf = (value: unknown): string => Object.prototype.toString.call(value);

function lateWork(call: string): LockyardError {
  const instead = 'call acquireHold within the generator';
  return new LockyardError('INVALID', `The work of ${call} is a generator: ${instead} instead.`);
}

/**
 * Throws `INVALID` for anything but a number from 0, or infinity: JSON would turn NaN into null.
 */
export function refuseBadWait(waitMs: unknown): void {
  if (waitMs === undefined || (typeof waitMs === 'number' && waitMs >= 0)) return;
  throw new LockyardError('INVALID', '`waitMs` must be a number from 0 to 600,000, or Infinity.');
}
