import { getHeapStatistics } from 'node:v8';
import type { Clock } from '../../platform/clock';

/** From the first share of the heap on, memory is short; below the second, no longer. */
const SHORT_FROM = 0.8;
const ENOUGH_BELOW = 0.75;

const READ_EVERY_MS = 500;

/** The used part of the V8 heap, and its limit, in bytes. */
export interface HeapReading {
  used: number;
  limit: number;
}

/** Whether this process is short of memory. Reads the heap on demand, at most twice a second. */
export class HeapWatch {
  private readAt = Number.NEGATIVE_INFINITY;
  private isShortAtLastReading = false;

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly read: () => HeapReading = readHeap,
  ) {}

  /** Garbage counts as used until V8 has collected it. */
  isShort(): boolean {
    const now = this.clock.monotonic();
    if (now - this.readAt < READ_EVERY_MS) return this.isShortAtLastReading;
    this.readAt = now;
    const { used, limit } = this.read();
    this.isShortAtLastReading =
      used >= limit * (this.isShortAtLastReading ? ENOUGH_BELOW : SHORT_FROM);
    return this.isShortAtLastReading;
  }
}

function readHeap(): HeapReading {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return { used, limit };
}
