import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RUNS } from '../testing/property-runs';
import { DAY_MS } from '../time-units';
import { bucketBounds, bucketOf, LogHistogram } from './log-histogram';

/** Every order of magnitude equally often, up to 60 days. */
const durations = fc.oneof(
  fc.integer({ min: 0, max: 60 * DAY_MS }),
  fc.double({ min: 0, max: 33, noNaN: true }).map((exponent) => Math.floor(2 ** exponent) - 1),
);
const lists = fc.array(durations, { maxLength: 60 });

const histogramOf = (values: number[]) => {
  const histogram = new LogHistogram();
  for (const value of values) histogram.add(value);
  return histogram;
};
const nearestRank = (values: number[], q: number) =>
  [...values].sort((a, b) => a - b)[Math.max(1, Math.ceil(q * values.length)) - 1];

describe('a histogram', () => {
  it('has every duration in the one bucket whose bounds include it', () => {
    fc.assert(
      fc.property(durations, (durationMs) => {
        const { fromMs, toMs } = bucketBounds(bucketOf(durationMs));
        expect(fromMs).toBeLessThanOrEqual(durationMs);
        expect(toMs ?? Number.POSITIVE_INFINITY).toBeGreaterThan(durationMs);
      }),
      RUNS,
    );
    for (let bucket = 1; bucket < 128; bucket += 1) {
      const { fromMs } = bucketBounds(bucket);
      expect(bucketBounds(bucket - 1).toMs).toBe(fromMs);
      expect(bucketBounds(bucketOf(fromMs)).fromMs).toBe(fromMs);
      expect(bucketBounds(bucketOf(fromMs - 1)).toMs).toBe(fromMs);
    }
    expect(bucketBounds(127).toMs).toBeNull();
    expect(bucketBounds(127).fromMs).toBeGreaterThan(30 * DAY_MS);
  });

  it('gives quantiles that are at most 9.1 % off, and exact up to 7 ms', () => {
    const qs = fc.double({ min: 0, max: 1, noNaN: true });
    const lengths = fc.array(
      durations.map((ms) => Math.min(ms, 34 * DAY_MS)),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(lengths, qs, (values, q) => {
        const exact = nearestRank(values, q) ?? Number.NaN;
        const estimate = histogramOf(values).quantile(q) ?? Number.NaN;
        expect(Math.abs(estimate - exact)).toBeLessThanOrEqual(exact <= 7 ? 1e-9 : exact * 0.091);
      }),
      RUNS,
    );
  });

  it('is the same however its parts are merged: in any order, grouped in any way', () => {
    fc.assert(
      fc.property(lists, lists, lists, (a, b, c) => {
        const [x, y, z] = [histogramOf(a), histogramOf(b), histogramOf(c)];
        const whole = histogramOf([...a, ...b, ...c]).encode();
        const { merge } = LogHistogram;
        expect(merge(merge(x, y), z).encode()).toBe(whole);
        expect(merge(x, merge(y, z)).encode()).toBe(whole);
        expect(merge(z, x, y).encode()).toBe(whole);
        expect(merge(x, y).count).toBe(a.length + b.length);
        expect(x.encode()).toBe(histogramOf(a).encode());
        expect(merge(x, new LogHistogram()).encode()).toBe(x.encode());
      }),
      RUNS,
    );
  });

  it('is read back completely from its text, in ASCII and shorter than what it counts', () => {
    fc.assert(
      fc.property(lists, (values) => {
        const histogram = histogramOf(values);
        const text = histogram.encode();
        const back = LogHistogram.decode(text);
        expect(back.encode()).toBe(text);
        expect(back.bars()).toEqual(histogram.bars());
        expect(back.count).toBe(values.length);
        expect(text).toMatch(/^[0-9a-z: ]*$/);
        expect(text.length).toBeLessThanOrEqual(values.length * 5);
      }),
      RUNS,
    );
  });

  it('lists its buckets shortest first, with every duration in one of them', () => {
    fc.assert(
      fc.property(lists, (values) => {
        const bars = histogramOf(values).bars();
        expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
        for (const { fromMs, toMs, count } of bars) {
          const inside = values.filter((ms) => ms >= fromMs && ms < (toMs ?? Infinity));
          expect(inside).toHaveLength(count);
        }
        expect(bars.map(({ fromMs }) => fromMs)).toEqual(
          bars.map(({ fromMs }) => fromMs).sort((a, b) => a - b),
        );
      }),
      RUNS,
    );
  });

  it('has no quantile while empty, and counts invalid durations as the nearest valid one', () => {
    expect(new LogHistogram().quantile(0.5)).toBeNull();
    expect(new LogHistogram().encode()).toBe('');
    for (const odd of [-5, 0.4, Number.NaN, -0]) expect(histogramOf([odd]).quantile(1)).toBe(0);
    expect(histogramOf([1e15]).bars()).toEqual([{ ...bucketBounds(127), count: 1 }]);
  });

  it.each(['zz', '3:', ':3', '5:0', '1,2', '5:-1', ' ', '1  2', 'A'])(
    'refuses the text "%s"',
    (text) => {
      expect(() => LogHistogram.decode(text)).toThrow('no histogram');
    },
  );
});
