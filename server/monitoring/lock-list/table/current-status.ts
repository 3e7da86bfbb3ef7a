import type { LockStatus } from '../../../contract/console/console-terms';
import { type Hold, isReleased, type LockRecord, liveHolds } from '../../../core/lock/lock-record';
import { capacityOf, permitsOf } from '../../../core/lock/permits';
import { type LockTier, lockStatus, lockTier } from '../../../core/status/lock-status';
import { statusDeadline } from '../../../core/status/status-deadline';
import type { LockBaselines } from '../../../core/status/stuck-reason';
import { type LockPressure, lockPressure } from '../../projection/lock-pressure';
import type { ProjectionRow } from '../../projection/projection-row';
import type { BackendFrame } from './backend-frames';
import { factsAt, type StatusReason, statusReason } from './status-reason';

/** Counts of permits and kept holds, for metrics. */
export interface HoldFigures {
  permitsHeld: number;
  /** How many permits can be held; 0 for a lock without permits. */
  permitCapacity: number;
  /** Holds that were released, and are kept until their `holdAtLeastMs` has passed. */
  keptHolds: number;
}

const NO_HOLDS: HoldFigures = { permitsHeld: 0, permitCapacity: 0, keptHolds: 0 };

/** The state of a lock at an instant. */
export interface CurrentStatus {
  status: LockStatus;
  tier: LockTier;
  reason: StatusReason;
  /** Whether it is held, whatever its status; false while its backend does not respond. */
  isHeld: boolean;
  figures: HoldFigures;
  /** Null: it is not known now. */
  pressure: LockPressure | null;
  /** Time alone changes none of this before this instant of the backend's clock. */
  until: number;
}

const UNKNOWN: CurrentStatus = {
  status: 'unknown',
  tier: 'unknown',
  reason: null,
  isHeld: false,
  figures: NO_HOLDS,
  pressure: null,
  until: Number.POSITIVE_INFINITY,
};

export function currentStatus(
  row: ProjectionRow,
  baselines: LockBaselines,
  { now, reachable }: BackendFrame,
): CurrentStatus {
  if (!reachable || !row.isReadable) return UNKNOWN;
  const { record } = row;
  const facts = factsAt(row, baselines, now);
  const status = lockStatus(facts, baselines, now, true);
  const live = liveHolds(record, now);
  return {
    status,
    tier: lockTier(status, facts, baselines, now),
    reason: statusReason(status, facts, baselines, now),
    isHeld: live.length > 0,
    figures: figuresOf(record, live),
    pressure: lockPressure(facts, baselines, now),
    until: statusDeadline(facts, baselines, now),
  };
}

/** Most locks have none of these. */
function figuresOf(record: LockRecord, live: readonly Hold[]): HoldFigures {
  const permitCapacity = capacityOf(record)?.inForce ?? 0;
  const keptHolds = live.filter(isReleased).length;
  if (permitCapacity === 0 && keptHolds === 0) return NO_HOLDS;
  return { permitsHeld: permitsOf(live), permitCapacity, keptHolds };
}
