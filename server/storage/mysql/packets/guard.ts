/**
 * The number of the error with which a guard fails on purpose: a subquery has more than one row.
 * MySQL and MariaDB run no statement of a packet after one that failed, so the transaction is never
 * committed.
 */
export const GUARD_FAILED = 1242;

/** The number of the error for a null in a column that must have a value. */
export const VALUE_MISSING = 1048;

/** An expression for `value` that fails unless all of these conditions hold. For MariaDB. */
export function guarded(value: string, conditions: string[]): string {
  if (conditions.length === 0) return value;
  return `IF(${conditions.join(' AND ')}, ${value}, (SELECT 1 UNION ALL SELECT 2))`;
}
