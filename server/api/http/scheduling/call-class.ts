import { LIST_COST_CALLS } from '../../../operations/locks/for-services/list-locks';

/** Service order under overload: keeping and releasing holds, other calls, the console, pages. */
export const CALL_CLASSES = ['hold', 'service', 'console', 'page'] as const;
export type CallClass = (typeof CALL_CLASSES)[number];

/** Calls that, if late, lose a hold or leave one behind. Counters hold nothing. */
const HOLD_KEEPING = new Set(['lock.renew', 'lock.release', 'lock.cancel', 'lock.cancelMany']);

/** The work of a request to the service API, as the scheduler counts it. */
export interface ServiceWork {
  callClass: CallClass;
  /** How many plain calls it costs. */
  calls: number;
}

/** @param path one procedure, or several separated by commas */
export function serviceWork(path: string): ServiceWork {
  const names = path.split(',');
  return {
    callClass: names.every((name) => HOLD_KEEPING.has(name)) ? 'hold' : 'service',
    calls: names.reduce((sum, name) => sum + costOf(name), 0),
  };
}

const costOf = (name: string) => (name === 'lock.list' ? LIST_COST_CALLS : 1);
