import { getHeapStatistics } from 'node:v8';
import type { Clock } from '../../platform/clock';

/** At this share of the heap it counts as nearly full; below the other, no longer. */
const SHORT_FROM = 0.8;
const ENOUGH_BELOW = 0.75;

const READ_EVERY_MS = 500;

/** Bytes: what is used of the V8 heap, and what it may have. */
export interface HeapReading {
  used: number;
  limit: number;
}

/** Whether this process is short of memory. Read at most twice a second, when it is asked for. */
export class HeapWatch {
  private readAt = Number.NEGATIVE_INFINITY;
  private isShortAtLastReading = false;

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly read: () => HeapReading = readHeap,
  ) {}

  /** What is garbage by now counts as used until V8 has collected it. */
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
