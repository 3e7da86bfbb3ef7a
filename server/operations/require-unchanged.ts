import { isDeepStrictEqual } from 'node:util';
import { LockyardError } from '../contract/errors';

/**
 * Refuses a change that was based on a setting which has changed since. The change may be repeated
 * after an unknown outcome: it is not refused if the setting is already as wanted.
 *
 * @param seen the setting that the change was based on; undefined: it replaces any
 * @param what names the setting, such as `The policy of "billing"`
 * @throws LockyardError `CONFLICT`
 */
export function requireUnchanged<T>(
  present: T,
  { seen, wanted, what }: { seen: T | undefined; wanted: T; what: string },
): void {
  const isAsExpected = [seen, wanted].some((each) => isDeepStrictEqual(present, each));
  if (seen === undefined || isAsExpected) return;
  throw new LockyardError('CONFLICT', `${what} changed meanwhile; nothing was changed.`);
}
