import type { Clock } from '../platform/clock';

/**
 * Readings that all callers share while they are fresh, by key. One that fails is not kept, so that
 * the next caller reads again.
 */
export class SharedReadings<T> {
  private readonly readings = new Map<string, { at: number; value: Promise<T> }>();

  /** @param keptMs the greatest age of a reading, which is then forgotten */
  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly keptMs: number,
  ) {}

  /**
   * The reading of a key; rejects as `read` does.
   *
   * @param freshMs the greatest age for this caller, at most `keptMs`
   */
  get(key: string, read: () => Promise<T>, freshMs = this.keptMs): Promise<T> {
    const now = this.clock.monotonic();
    for (const [known, { at }] of this.readings) {
      if (now - at >= this.keptMs) this.readings.delete(known);
    }
    const known = this.readings.get(key);
    if (known && now - known.at < freshMs) return known.value;
    const reading = { at: now, value: read() };
    this.readings.set(key, reading);
    reading.value.catch(() => {
      if (this.readings.get(key) === reading) this.readings.delete(key);
    });
    return reading.value;
  }

  /** Drops the reading of a key: the next caller reads again. */
  forget(key: string): void {
    this.readings.delete(key);
  }
}
