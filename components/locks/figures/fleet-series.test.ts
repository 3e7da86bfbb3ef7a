import { expect, test } from 'vitest';
import type { FleetNow, InsightPoint } from '@/server/contract/console/insight-row';
import { grantSeries, latestWait, sampleRange, waitSeries } from './fleet-series';

const none = { waitP50Ms: null, waitP99Ms: null, holdP50Ms: null, holdP99Ms: null };
const minute = (place: number, part: Partial<InsightPoint> = {}): InsightPoint => ({
  at: place * 60_000,
  grants: 0,
  timeouts: 0,
  expiries: 0,
  forced: 0,
  refused: 0,
  ...none,
  ...part,
});
const fleet = (minutes: InsightPoint[]) => ({ minutes }) as FleetNow;

test('grants are shown per second, and the unfinished minute does not look like a drop', () => {
  const now = fleet([
    minute(0, { grants: 120 }),
    minute(1, { grants: 6 }),
    minute(2, { grants: 1 }),
  ]);
  expect(grantSeries(now).map(({ value }) => value)).toEqual([2, 0.1]);
});

test('a minute without a grant has no wait, rather than one of 0', () => {
  const now = fleet([
    minute(0, { waitP50Ms: 3, waitP99Ms: 40 }),
    minute(1),
    minute(2, { waitP50Ms: 0, waitP99Ms: 0 }),
  ]);
  expect(waitSeries(now, 'waitP99Ms')).toEqual([
    { at: 0, value: 40 },
    { at: 120_000, value: 0 },
  ]);
  expect(latestWait(now)?.at).toBe(120_000);
});

test('a wait of more than five minutes ago is not shown as a present one', () => {
  const quiet = [1, 2, 3, 4].map((place) => minute(place));
  const granted = minute(0, { waitP50Ms: 3, waitP99Ms: 40 });
  expect(latestWait(fleet([granted, ...quiet]))).toBe(granted);
  expect(latestWait(fleet([granted, ...quiet, minute(5)]))).toBeNull();
});

test('the range of a figure spans its lowest to highest reading, the present one included', () => {
  const sample = (held: number, low: number) => ({ held, low: { held: low, stuck: 0 } });
  const now = { samples: [sample(9, 4), sample(7, 5)] } as FleetNow;
  expect(sampleRange(now, 'held', 6)).toEqual([4, 9]);
  expect(sampleRange(now, 'held', 12)).toEqual([4, 12]);
  const unknown = { samples: [sample(9, 7), { held: 3, low: null }] } as FleetNow;
  expect(sampleRange(unknown, 'held', 8)).toEqual([7, 9]);
  expect(sampleRange({ samples: [] as FleetNow['samples'] } as FleetNow, 'held', 3)).toEqual([
    3, 3,
  ]);
});
