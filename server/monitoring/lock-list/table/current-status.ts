import type { LockStatus } from '../../../contract/console/console-terms';
import type { LockRow } from '../../../contract/console/lock-row';
import { type LockTier, lockStatus, lockTier } from '../../../core/status/lock-status';
import { statusDeadline } from '../../../core/status/status-deadline';
import { type LockBaselines, stuckReason } from '../../../core/status/stuck-reason';
import type { ProjectionRow } from '../../projection/projection-row';
import type { BackendFrame } from './backend-frames';

/** The state of a lock at an instant. */
export interface CurrentStatus {
  status: LockStatus;
  tier: LockTier;
  stuck: LockRow['stuck'];
  /** Whether it is held, whatever its status; false while its backend does not respond. */
  isHeld: boolean;
  /** Time alone changes nothing of this before this instant of the backend's clock. */
  until: number;
}

const UNKNOWN: CurrentStatus = {
  status: 'unknown',
  tier: 'unknown',
  stuck: null,
  isHeld: false,
  until: Number.POSITIVE_INFINITY,
};

export function currentStatus(
  { facts, isReadable }: ProjectionRow,
  baselines: LockBaselines,
  { now, reachable }: BackendFrame,
): CurrentStatus {
  if (!reachable || !isReadable) return UNKNOWN;
  const status = lockStatus(facts, baselines, now, true);
  return {
    status,
    tier: lockTier(status, facts, baselines, now),
    stuck: status === 'stuck' ? stuckReason(facts, baselines, now) : null,
    isHeld: facts.holds.some(({ expiresAt }) => expiresAt > now),
    until: statusDeadline(facts, baselines, now),
  };
}

export function isSameReason(a: LockRow['stuck'], b: LockRow['stuck']): boolean {
  return a === b || (a !== null && b !== null && JSON.stringify(a) === JSON.stringify(b));
}
