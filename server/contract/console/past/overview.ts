import type { LockStatus } from '../console-terms';
import type { InsightRange, LockInsight } from '../insight-row';

/** The statistics of all locks together over a range of time, from the minute roll-ups. */
export interface Overview extends Omit<LockInsight, 'ownHold'> {
  heat: HeatMap;
}

/** The locks with the most waiting, and when it was. */
export interface HeatMap {
  range: InsightRange;
  /** The start of the first step, on the server's clock. */
  from: number;
  stepMs: number;
  /** The number of steps; the last one is not complete yet. */
  steps: number;
  /** The locks with the most waiting over the whole range first. */
  rows: HeatRow[];
}

export interface HeatRow {
  backend: string;
  namespace: string;
  name: string;
  waiterMs: number;
  /** In order, only the steps in which it was among the locks with the most waiting. */
  cells: HeatCell[];
}

export interface HeatCell {
  /** The index of the step, from 0. */
  step: number;
  /** The sum of the times for which the lock blocked callers in that step. */
  waiterMs: number;
  /** The worst status that the lock had in that step. */
  status: LockStatus;
}
