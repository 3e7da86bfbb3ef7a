import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FleetNow, INSIGHT_RANGES } from '../../contract/console/insight-row';
import { RUNS } from '../testing/property-runs';
import { MINUTE_MS } from '../time-units';
import { InsightSteps, rangeBegin } from './insight-steps';
import { addEvent, emptyRollup } from './minute-rollup';

const NOW = Date.UTC(2026, 10, 20, 8, 41, 7);
const LENGTH_MS = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 };
const ranges = fc.constantFrom(...INSIGHT_RANGES);

const grantsAt = (minute: number, grants: number) => {
  const rollup = emptyRollup(minute);
  const event = { kind: 'granted', at: minute, rev: 1, service: 's', owner: 'o' } as const;
  for (let i = 0; i < grants; i += 1) addEvent(rollup, event);
  return rollup;
};

describe('the steps of a range', () => {
  it.each(INSIGHT_RANGES)('cover %s up to now without a gap, in at most 180 points', (range) => {
    const { points, stepMs } = new InsightSteps(range, NOW).view();
    expect(points.length).toBeLessThanOrEqual(180);
    expect(points.length * stepMs).toBe(LENGTH_MS[range] * 60 * MINUTE_MS);
    expect(points.map(({ at }) => at)).toEqual(
      points.map((_, i) => rangeBegin(range, NOW) + i * stepMs),
    );
    const last = points.at(-1)?.at ?? 0;
    expect(last).toBeLessThanOrEqual(NOW);
    expect(last + stepMs).toBeGreaterThan(NOW);
  });

  it('contain every minute of the range in its step, and none from outside', () => {
    const backs = fc.array(fc.nat({ max: 45 * 24 * 60 }), { maxLength: 40 });
    fc.assert(
      fc.property(ranges, backs, (range, minutesBack) => {
        const steps = new InsightSteps(range, NOW);
        const minutes = minutesBack.map((back) => Math.floor(NOW / MINUTE_MS - back) * MINUTE_MS);
        for (const minute of minutes) steps.add(grantsAt(minute, 2));
        const { points, total, stepMs, waits } = steps.view();
        for (const { at, grants } of points) {
          const inside = minutes.filter((minute) => minute >= at && minute < at + stepMs);
          expect(grants).toBe(2 * inside.length);
        }
        const within = minutes.filter((minute) => minute >= rangeBegin(range, NOW));
        expect(total.grants).toBe(2 * within.length);
        expect(waits.reduce((sum, { count }) => sum + count, 0)).toBe(total.grants);
      }),
      { ...RUNS, numRuns: 200 },
    );
  });

  it('show no waits and holds where there were none', () => {
    const { total, holds } = new InsightSteps('1h', NOW).view();
    const hour: FleetNow['hour'] = total;
    expect(hour).toMatchObject({ waitP50Ms: null, waitP99Ms: null, holdP50Ms: null });
    expect(holds).toEqual([]);
  });
});
