import type { HistogramSample } from './metrics';

/** Powers of four from 1 ms to 18.6 h. */
const BOUNDS_MS = Array.from({ length: 14 }, (_, i) => 4 ** i);

/** How often durations of each length occurred, as Prometheus counts them. */
export class DurationTally {
  /** By bound: how many are at or below it, and above the bound before. */
  private readonly counts = BOUNDS_MS.map(() => 0);
  private total = 0;
  private sum = 0;

  get sumMs(): number {
    return this.sum;
  }

  add(durationMs: number): void {
    const place = BOUNDS_MS.findIndex((bound) => durationMs <= bound);
    if (place >= 0) this.counts[place] = (this.counts[place] ?? 0) + 1;
    this.total += 1;
    this.sum += durationMs;
  }

  addAll({ counts, total, sum }: DurationTally): void {
    counts.forEach((count, place) => {
      this.counts[place] = (this.counts[place] ?? 0) + count;
    });
    this.total += total;
    this.sum += sum;
  }

  sample(): Omit<HistogramSample, 'labels'> {
    let below = 0;
    const buckets = BOUNDS_MS.map((ms, place): [number, number] => {
      below += this.counts[place] ?? 0;
      return [ms / 1_000, below];
    });
    return { buckets, count: this.total, sum: this.sum / 1_000 };
  }
}
