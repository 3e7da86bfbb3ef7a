import type { AlertKind, AlertRules } from '../../contract/console/alerts/alert-rules';
import type { LockStatus } from '../../contract/console/console-terms';
import type { CounterRow } from '../../contract/console/counter-row';
import type { LockRow } from '../../contract/console/lock-row';
import { isCounterNear } from './alert-conditions';

/** What is known of a lock now. */
type Known = Pick<LockRow, 'status' | 'waiters' | 'refused'>;

/** A lock in one of these states may be in another one as well, which does not show. */
const IN_TROUBLE = new Set<LockStatus>(['stuck', 'orphaned', 'expired']);

/**
 * Whether what a firing alert on a lock was about is surely over: it is resolved once it has stayed
 * so. The rules may be met no more also where this says no.
 *
 * @param row null: nothing is known of the lock
 */
export function isClear(kind: AlertKind, row: Known | null): boolean {
  if (!row || row.status === 'unknown') return false;
  switch (kind) {
    case 'stuck':
    case 'orphaned':
    case 'expired':
      return !IN_TROUBLE.has(row.status);
    case 'waitsOver':
    case 'blockingOver':
      return row.waiters === 0 && row.refused === undefined;
    default:
      return false;
  }
}

/**
 * The same of an alert on a counter.
 *
 * @param row null: nothing is known of the counter
 */
export function isCounterClear(
  row: Pick<CounterRow, 'value' | 'floor' | 'ceiling' | 'isKnown'> | null,
  rules: AlertRules,
): boolean {
  return row?.isKnown === true && row.value !== null && !isCounterNear(row.value, row, rules);
}
