import type { HoldBaseline } from '../../contract/console/insight-row';
import { LogHistogram } from '../../core/statistics/log-histogram';
import { HISTORY_MIN_COUNT } from '../../core/status/stuck-reason';
import { storedHistogram } from './rollup-rows';

/** How long the locks of each namespace are held, all of them together. */
export class NamespaceHolds {
  private readonly histograms = new Map<string, LogHistogram>();
  /** The baselines that were requested since the last change. */
  private readonly baselines = new Map<string, HoldBaseline | null>();

  /** The baseline of a namespace; null: too few holds have ended to say what is usual. */
  of(namespace: string): HoldBaseline | null {
    const known = this.baselines.get(namespace);
    if (known !== undefined) return known;
    const histogram = this.histograms.get(namespace);
    const baseline = histogram ? baselineOf(histogram) : null;
    this.baselines.set(namespace, baseline);
    return baseline;
  }

  /**
   * Replaces the holds of one lock.
   *
   * @param id of its row
   * @param before the encoded histograms of its weeks that were counted until now
   * @param after those to count in their places from now on
   */
  replace(id: string, before: readonly string[], after: readonly string[]): void {
    const removed = before.filter((text, i) => text !== (after[i] ?? ''));
    const added = after.filter((text, i) => text !== before[i]);
    if (removed.length + added.length === 0) return;
    const namespace = namespaceOf(id);
    const histogram = this.histograms.get(namespace) ?? new LogHistogram();
    this.histograms.set(namespace, histogram);
    this.baselines.delete(namespace);
    for (const text of added) histogram.addAll(storedHistogram(text));
    for (const text of removed) histogram.removeAll(storedHistogram(text));
  }
}

/** The baseline of these holds; null: they are too few to call anything unusual. */
export function baselineOf(holds: LogHistogram): HoldBaseline | null {
  const [p50Ms, p99Ms] = [holds.quantile(0.5), holds.quantile(0.99)];
  if (p50Ms === null || p99Ms === null || holds.count < HISTORY_MIN_COUNT) return null;
  return { p50Ms, p99Ms, count: holds.count };
}

/** The part of a row's id between those of its backend and its name. */
const namespaceOf = (id: string): string => id.split('/', 2)[1] ?? '';
