import { LIST_CALLS } from '../../../operations/locks/for-services/list-namespace-locks';

/**
 * What is served first when there is more to do than time: keeping and giving back holds, other
 * calls of programs, the console, pages.
 */
export const CALL_CLASSES = ['hold', 'service', 'console', 'page'] as const;
export type CallClass = (typeof CALL_CLASSES)[number];

/** Calls that cost a hold, or leave one behind, if they come too late. Counters hold nothing. */
const KEEPS_HOLDS = new Set(['lock.renew', 'lock.release', 'lock.cancel', 'lock.cancelMany']);

/** @param path of the service API: one procedure, or several with commas between them */
export function serviceClass(path: string): CallClass {
  return path.split(',').every((name) => KEEPS_HOLDS.has(name)) ? 'hold' : 'service';
}

/** How many plain calls a request is worth. `path` as above. */
export function callsIn(path: string): number {
  return path === 'lock.list' ? LIST_CALLS : path.split(',').length;
}
