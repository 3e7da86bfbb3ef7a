import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LogHistogram } from '@/server/core/statistics/log-histogram';
import { histogramBins } from './histogram-bins';

const seed = (Math.random() * 0x7fffffff) | 0;
console.info(`fast-check seed ${seed}`);

const histogramOf = (durations: readonly number[]) => {
  const histogram = new LogHistogram();
  for (const ms of durations) histogram.add(ms);
  return histogram.bars();
};

test('every duration from 1 ms is in one bar, and a bar has only those within its bounds', () => {
  const spans = fc.array(fc.integer({ min: 0, max: 40 * 86_400_000 }), { maxLength: 60 });
  fc.assert(
    fc.property(spans, fc.option(fc.integer({ min: 0, max: 1e10 })), (durations, also) => {
      const { bins, positionOf, ticks } = histogramBins(histogramOf(durations), also);
      const drawn = durations.filter((ms) => ms > 0);
      expect(bins.length).toBeLessThanOrEqual(33);
      expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(drawn.length);
      for (const { fromMs, toMs, count } of bins) {
        const inside = drawn.filter((ms) => ms >= fromMs && ms < (toMs ?? Infinity));
        if (count > 0) expect(inside.length).toBe(count);
      }
      for (const { position } of ticks) expect(Math.abs(position)).toBeLessThanOrEqual(bins.length);
      if (also !== null && also >= 1 && bins.length > 0) {
        expect(positionOf(also)).toBeGreaterThanOrEqual(-0.5);
      }
    }),
    { seed },
  );
});

test('bars are placed side by side by ratio, and round durations have a mark', () => {
  const { bins, positionOf, ticks } = histogramBins(histogramOf([92, 95, 1_000, 11_000]), null);
  expect(bins.map(({ count }) => count).filter((count) => count > 0)).toEqual([2, 1, 1]);
  expect(ticks.map(({ ms }) => ms)).toEqual([100, 1_000, 10_000]);
  const [a = 0, b = 0, c = 0] = ticks.map(({ position }) => position);
  expect(b - a).toBeCloseTo(c - b);
  expect(positionOf(1_000)).toBeCloseTo(b);
});

test('a few bars have room around them, and 0 ms is not before the first', () => {
  const { bins, ticks } = histogramBins(histogramOf([1_000]), null);
  expect(bins).toHaveLength(20);
  expect(ticks.map(({ ms }) => ms)).toContain(1_000);
  expect(ticks.length).toBeGreaterThan(0);
  expect(histogramBins(histogramOf([1]), null).bins[0]?.fromMs).toBeGreaterThan(0);
});

test('the marks between round durations keep away from them', () => {
  const { ticks } = histogramBins(histogramOf([3_000, 58_000]), null);
  const shown = ticks.map(({ ms }) => ms);
  expect(shown).toContain(60_000);
  expect(shown).not.toContain(50_000);
});

test('without anything there is nothing to draw', () => {
  expect(histogramBins([], null)).toMatchObject({ bins: [], ticks: [] });
  expect(histogramBins(histogramOf([0, 0]), null).bins).toEqual([]);
});
