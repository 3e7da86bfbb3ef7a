import {
  queueTrend,
  TREND_SAMPLE_EVERY_MS,
  TREND_SAMPLES,
} from '../../../core/statistics/queue-trend';
import type { TimeSlice } from '../order/time-slice';

/** The lengths of queues over the last minute, by slot. Costs nothing for locks without a queue. */
export class QueueTrends {
  private readonly lengths = new Map<number, number[]>();
  private sampledAt = Number.NEGATIVE_INFINITY;
  private samples = 0;

  /** How many waiters a minute the queue gains; 0: it is steady, or not yet known for a minute. */
  of(slot: number): number {
    return queueTrend(this.lengths.get(slot) ?? []) ?? 0;
  }

  remove(slot: number): void {
    this.lengths.delete(slot);
  }

  /**
   * Notes the length of every queue, if that is due.
   *
   * @param now the monotonic clock, in milliseconds
   * @param queued the slots of locks with a queue
   * @param lengthOf the number of waiters of the lock in a slot
   * @returns the slots whose trend has changed
   */
  async sample(
    now: number,
    queued: Iterable<number>,
    lengthOf: (slot: number) => number,
    slice: TimeSlice,
  ): Promise<number[]> {
    if (now - this.sampledAt < TREND_SAMPLE_EVERY_MS) return [];
    // After a pause, for example of a machine that slept, the times of the samples are unknown.
    if (now - this.sampledAt > 2 * TREND_SAMPLE_EVERY_MS) this.restart();
    this.sampledAt = now;
    const changed: number[] = [];
    await slice.forEach(new Set([...queued, ...this.lengths.keys()]), (slot) => {
      const before = this.of(slot);
      this.add(slot, lengthOf(slot));
      if (this.of(slot) !== before) changed.push(slot);
    });
    this.samples += 1;
    return changed;
  }

  private add(slot: number, length: number): void {
    const known = this.lengths.get(slot) ?? noQueue(this.samples);
    const last = [...known, length].slice(-TREND_SAMPLES);
    if (last.some((each) => each > 0)) this.lengths.set(slot, last);
    else this.lengths.delete(slot);
  }

  private restart(): void {
    this.lengths.clear();
    this.samples = 0;
  }
}

/** The lengths of a lock that had no queue up to now. */
const noQueue = (samples: number) => Array<number>(Math.min(samples, TREND_SAMPLES - 1)).fill(0);
