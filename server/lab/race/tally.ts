import type { RaceNote } from '@/server/strategies/race-note';
import type { Confirmation } from './stock';

const COUNTED = { conflict: 'conflicts', deadlock: 'deadlocks', retry: 'retries' } as const;

/** Counts the outcomes and latencies of one entry's buyers. */
export class Tally {
  sold = 0;
  conflicts = 0;
  deadlocks = 0;
  retries = 0;
  private readonly latencies: number[] = [];

  readonly note: RaceNote = (what) => {
    this[COUNTED[what]] += 1;
  };

  /** Orders that were answered, sold or refused. */
  get answered(): number {
    return this.latencies.length;
  }

  answer(outcome: Confirmation, tookMs: number): void {
    if (outcome === 'sold') this.sold += 1;
    this.latencies.push(tookMs);
  }

  /** The time in ms within which `percent` % of the orders were answered; 0 if none was. */
  percentileMs(percent: number): number {
    const sorted = Float64Array.from(this.latencies).sort();
    const index = Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1);
    return Math.round((sorted[index] ?? 0) * 10) / 10;
  }
}
