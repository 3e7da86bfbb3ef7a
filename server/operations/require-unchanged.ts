import { isDeepStrictEqual } from 'node:util';
import { LockyardError } from '../contract/errors';

/**
 * Refuses a change that was made from a setting which is not the present one any more.
 *
 * @param seen what the change was made from; undefined: it replaces whatever there is
 * @param what names the setting, such as `The policy of "billing"`
 * @throws LockyardError `CONFLICT`
 */
export function requireUnchanged<T>(present: T, seen: T | undefined, what: string): void {
  if (seen === undefined || isDeepStrictEqual(present, seen)) return;
  throw new LockyardError('CONFLICT', `${what} changed meanwhile; nothing was changed.`);
}
