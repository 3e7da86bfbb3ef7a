import { isDeepStrictEqual } from 'node:util';
import { LockyardError } from '../contract/errors';

/**
 * Refuses a change that was made from a setting which is not the present one any more. The change
 * may be repeated after an unknown outcome: what is already as wanted is not refused.
 *
 * @param seen what the change was made from; undefined: it replaces whatever there is
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
