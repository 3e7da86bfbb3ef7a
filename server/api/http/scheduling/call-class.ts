import { LIST_COST_CALLS } from '../../../operations/locks/for-services/list-locks';

/** Service order under overload: keeping and releasing holds, other calls, the console, pages. */
export const CALL_CLASSES = ['hold', 'service', 'console', 'page'] as const;
export type CallClass = (typeof CALL_CLASSES)[number];

/** Calls that lose a hold, or leave one behind, if they are late. Counters hold nothing. */
const HOLD_KEEPING = new Set(['lock.renew', 'lock.release', 'lock.cancel', 'lock.cancelMany']);

/** @param path of the service API: one procedure, or several separated by commas */
export function serviceClass(path: string): CallClass {
  return path.split(',').every((name) => HOLD_KEEPING.has(name)) ? 'hold' : 'service';
}

/** How many plain calls a request costs. `path` as above. */
export function callsIn(path: string): number {
  return path === 'lock.list' ? LIST_COST_CALLS : path.split(',').length;
}
