import { expect, it } from 'vitest';
import type { LabRow } from '@/server/contract/console/lab/lab-race';
import { decadeText, labScales, latencyPosition } from './lab-scales';

const at = (sold: number, p50Ms: number, p99Ms: number) => ({
  sold,
  p50Ms,
  p99Ms,
  opsPerSecond: 7,
});
const scalesOf = (rows: ReturnType<typeof at>[], stock: number) =>
  labScales(rows as unknown as LabRow[], stock);

it('leaves room beyond the stock, and for whatever was sold', () => {
  expect(scalesOf([at(500, 1, 2)], 500).stockAt).toBe(0.4);
  expect(scalesOf([at(2_000, 1, 2)], 500).stockAt).toBe(0.25);
  expect(scalesOf([at(50_000, 1, 2)], 500)).toMatchObject({ stockAt: 0.2, soldMax: 2_500 });
  expect(scalesOf([], 1)).toMatchObject({ stockAt: 0.4, opsMax: 1 });
});

it('spans 1 ms to 1 s, or further where a latency lies outside', () => {
  expect(scalesOf([at(1, 2, 900)], 1).latencyMs).toEqual({ from: 1, to: 1_000 });
  expect(scalesOf([at(1, 0.2, 2_400)], 1).latencyMs).toEqual({ from: 0.1, to: 10_000 });
  expect(scalesOf([at(0, 0, 0)], 1).latencyMs).toEqual({ from: 1, to: 1_000 });
});

it('places latencies logarithmically, within the line', () => {
  const scale = { from: 1, to: 1_000 };
  expect(latencyPosition(10, scale)).toBeCloseTo(1 / 3);
  expect([0, 0.5, 5_000].map((ms) => latencyPosition(ms, scale))).toEqual([0, 0, 1]);
  expect([0.1, 1, 1_000, 10_000].map(decadeText)).toEqual([
    '0.1\u00a0ms',
    '1\u00a0ms',
    '1\u00a0s',
    '10\u00a0s',
  ]);
});
