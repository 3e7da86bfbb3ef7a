import type { LockRow } from '../../../contract/console/lock-row';
import { TIERS } from '../../../core/status/lock-status';
import type { LockPressure } from '../../projection/lock-pressure';
import type { ShownFacts } from '../../projection/projection-row';
import type { LockColumns } from './lock-columns';
import { QueueTrends } from './queue-trends';
import { NO_REASON, type StatusReason } from './status-reason';

/** What was computed for a lock. `pressure` null: it is not known now. */
interface ComputedFacts extends Pick<LockRow, 'ownHold'> {
  reason: StatusReason;
  pressure: LockPressure | null;
}

/** Facts that most locks do not have, by slot. */
export class RowFacts {
  readonly trends = new QueueTrends();
  private readonly reasons = new Map<number, NonNullable<StatusReason>>();
  private readonly baselines = new Map<number, LockRow['ownHold']>();
  private readonly pressures = new Map<number, LockPressure>();

  of(slot: number): ShownFacts {
    return {
      reason: this.reasonOf(slot),
      ownHold: this.baselines.get(slot) ?? null,
      pressure: this.pressures.get(slot) ?? NO_PRESSURE,
    };
  }

  /** Why a lock is stuck or orphaned, if it is. */
  reasonOf(slot: number): NonNullable<StatusReason> {
    return this.reasons.get(slot) ?? NO_REASON;
  }

  /**
   * Stores what was computed.
   *
   * @param isChanged whether pages show something else in any case: then nothing is compared
   * @returns whether pages show something else
   */
  set(slot: number, { reason, ownHold, pressure }: ComputedFacts, isChanged: boolean): boolean {
    const pressed = this.shownPressure(slot, pressure);
    const hasChanged =
      isChanged ||
      (this.baselines.get(slot) ?? null) !== ownHold ||
      differs(this.reasons.get(slot), reason) ||
      differs(this.pressures.get(slot), pressed);
    setOrDelete(this.reasons, slot, reason);
    setOrDelete(this.baselines, slot, ownHold);
    setOrDelete(this.pressures, slot, pressed);
    return hasChanged;
  }

  /** The pressure with the trend of the queue; null: there is nothing to show. */
  private shownPressure(slot: number, pressure: LockPressure | null): LockPressure | null {
    const queueTrend = pressure ? this.trends.of(slot) : 0;
    if (queueTrend !== 0) return { ...pressure, queueTrend };
    return pressure?.blocked || pressure?.refused ? pressure : null;
  }

  remove(slot: number): void {
    this.reasons.delete(slot);
    this.baselines.delete(slot);
    this.pressures.delete(slot);
    this.trends.remove(slot);
  }

  /** Whether any lock keeps callers from work: then time alone changes the order of locks. */
  get hasBlockedCallers(): boolean {
    return this.pressures.size > 0;
  }
}

/**
 * Stores the callers that a lock keeps from work, as sort keys, and notes whether the lock is in
 * trouble. Its tier must be stored already.
 *
 * @param offsetMs the clock of its backend minus that of this process
 */
export function setBlocked(
  columns: LockColumns,
  slot: number,
  pressure: LockPressure | null,
  offsetMs: number,
): void {
  const { callers, sinceSum } = pressure?.blocked ?? NOT_BLOCKED;
  if (callers > 0) columns.blockedOrigin ||= Math.floor(sinceSum / callers) - offsetMs;
  columns.blockedCallers[slot] = callers;
  columns.blockedSince[slot] = sinceSum - callers * (columns.blockedOrigin + offsetMs);
  if (callers > 0 || columns.tiers[slot] === ACT_NOW) columns.troubled.add(slot);
  else columns.troubled.delete(slot);
}

const NO_PRESSURE: LockPressure = {};
const NOT_BLOCKED = { callers: 0, sinceSum: 0 };
const ACT_NOW = TIERS.indexOf('actNow');

/** Whether a small value differs from what was stored. */
function differs<V>(before: V | null | undefined, now: V | null): boolean {
  if (before === now || (!before && !now)) return false;
  return JSON.stringify(before) !== JSON.stringify(now);
}

function setOrDelete<V>(map: Map<number, V>, slot: number, value: V | null): void {
  if (value === null) map.delete(slot);
  else map.set(slot, value);
}
