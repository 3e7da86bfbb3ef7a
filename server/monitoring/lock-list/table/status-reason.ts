import type { LockStatus } from '../../../contract/console/console-terms';
import type { LockRow } from '../../../contract/console/lock-row';
import { orphanReason } from '../../../core/status/holder-liveness';
import type { StatusFacts } from '../../../core/status/lock-status';
import { type LockBaselines, stuckReason } from '../../../core/status/stuck-reason';
import type { ProjectionRow } from '../../projection/projection-row';

/** Why a lock is stuck or orphaned; null for any other lock. */
export type StatusReason = Pick<LockRow, 'stuck' | 'orphaned'> | null;

export const NO_REASON: NonNullable<StatusReason> = { stuck: null };

/** The facts of a lock, with what witnesses have proven of its holders. */
export function factsAt(
  { facts, record }: ProjectionRow,
  { reportsOn }: LockBaselines,
  now: number,
): StatusFacts {
  const orphaned = reportsOn ? orphanReason(record.holds, reportsOn, now) : null;
  return orphaned ? { ...facts, orphaned } : facts;
}

/** What makes a lock `stuck` or `orphaned`, if it is. */
export function statusReason(
  status: LockStatus,
  facts: StatusFacts,
  baselines: LockBaselines,
  now: number,
): StatusReason {
  if (status === 'orphaned' && facts.orphaned) return { stuck: null, orphaned: facts.orphaned };
  return status === 'stuck' ? { stuck: stuckReason(facts, baselines, now) } : null;
}
