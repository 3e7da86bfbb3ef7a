import type { LockStatus } from '../console-terms';
import type { InsightRange, LockInsight } from '../insight-row';

/** All locks together over a range of time, from the minute roll-ups. */
export interface Overview extends Omit<LockInsight, 'ownHold'> {
  heat: HeatMap;
}

/** Which locks were waited for most, and when. */
export interface HeatMap {
  range: InsightRange;
  /** The beginning of the first step, on the server's clock. */
  from: number;
  stepMs: number;
  /** How many steps there are; the last is under way. */
  steps: number;
  /** Those waited for most over the whole range first. */
  rows: HeatRow[];
}

export interface HeatRow {
  backend: string;
  namespace: string;
  name: string;
  waiterMs: number;
  /** Only steps in which it was one of the most waited for, in order. */
  cells: HeatCell[];
}

export interface HeatCell {
  /** Which step, from 0. */
  step: number;
  /** How long callers were kept from work by the lock in that step, all of them added up. */
  waiterMs: number;
  /** The worst status that the lock had in that step. */
  status: LockStatus;
}
