import { expect, test } from 'vitest';
import type { RefusalCounts } from '../statistics/refusal-counts';
import { MINUTE_MS } from '../time-units';
import { refusalBars } from './refusal-bars';

function counts(owner: string, attempts: number, firstAt: number, lastAt: number): RefusalCounts {
  const span = { attempts, token: 1, firstAt, lastAt };
  return { all: span, owners: [{ service: 'orders', owner, ...span }], others: null };
}

test('refused attempts of all processes form one bar a minute, within its minute', () => {
  const bars = refusalBars([
    { minute: 2 * MINUTE_MS, counts: counts('b', 3, 70_000, 130_000) },
    { minute: MINUTE_MS, counts: counts('a', 2, 61_000, 80_000) },
    { minute: MINUTE_MS, counts: counts('b', 5, 70_000, 100_000) },
  ]);
  expect(bars).toEqual([
    { from: 61_000, to: 100_000, attempts: 7, owners: ['b', 'a'], areMore: false },
    { from: 120_000, to: 130_000, attempts: 3, owners: ['b'], areMore: false },
  ]);
});
