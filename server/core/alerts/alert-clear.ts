import type { AlertKind, AlertRules } from '../../contract/console/alerts/alert-rules';
import type { LockStatus } from '../../contract/console/console-terms';
import type { CounterRow } from '../../contract/console/counter-row';
import type { LockRow } from '../../contract/console/lock-row';
import { isCounterNear } from './alert-conditions';

/** What is currently known about a lock. */
type Known = Pick<LockRow, 'status' | 'waiters' | 'refused'>;

/** A row shows only one status: a lock with one of these may also meet the rule of another. */
const IN_TROUBLE = new Set<LockStatus>(['stuck', 'orphaned', 'expired']);

/**
 * Whether the cause of a firing alert on a lock is certainly over; the alert is resolved once this
 * has been true for `ALERT_QUIET_MS`. False does not mean that its rule is still met.
 *
 * @param row null: the lock is unknown
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
 * Whether the cause of a firing alert on a counter is certainly over: see `isClear`.
 *
 * @param row null: the counter is unknown
 */
export function isCounterClear(
  row: Pick<CounterRow, 'value' | 'floor' | 'ceiling' | 'isKnown'> | null,
  rules: AlertRules,
): boolean {
  return row?.isKnown === true && row.value !== null && !isCounterNear(row.value, row, rules);
}
