import { describe, expect, it } from 'vitest';
import type { CounterPage, CounterRow, GateRow } from '@/server/contract/console/counter-row';
import {
  boundLabel,
  boundsLabel,
  boundsPosition,
  deltaLabel,
  driftLabel,
  estimateLabel,
  foundInPast,
  foundLabel,
  headroomLabel,
  noFastValueLabel,
  parseWholeNumber,
} from './counter-labels';

const at = (
  value: number | null,
  floor: number | null,
  ceiling: number | null,
  isKnown = true,
) => ({
  value,
  floor,
  ceiling,
  isKnown,
});
const MOST = Number.MAX_SAFE_INTEGER;

describe('a counter’s position between its limits', () => {
  it.each([
    [at(0, 0, 10), 'atFloor', 0],
    [at(10, 0, 10), 'atCeiling', 1],
    [at(9, 0, 100), 'nearFloor', 0.09],
    [at(95, 0, 100), 'nearCeiling', 0.95],
    [at(50, 0, 100), 'within', 0.5],
    [at(5, 0, null), 'within', null],
    [at(0, 0, null), 'within', null],
    [at(7, null, 7), 'atCeiling', null],
    [at(7, null, null), 'within', null],
    [at(7, 7, 7), 'atFloor', 1],
    [at(0, -MOST, MOST), 'within', 0.5],
  ] as const)('%o is %s', (facts, state, share) => {
    expect(boundsPosition(facts)).toEqual({ state, share });
  });

  it('is unknown while the backend does not respond or the record is unreadable', () => {
    expect(boundsPosition(at(50, 0, 100, false))).toEqual({ state: 'unknown', share: 0.5 });
    expect(boundsPosition(at(null, null, null, false))).toEqual({ state: 'unknown', share: null });
  });
});

describe('labels', () => {
  it('show the exact headroom either way, first that to a limit which is near', () => {
    expect(headroomLabel(at(1_000, 0, 5_000))).toBe(
      '1,000 above the floor, 4,000 below the ceiling',
    );
    expect(headroomLabel(at(0, 0, 5))).toBe('at the floor, 5 below the ceiling');
    expect(headroomLabel(at(5, null, 5))).toBe('at the ceiling');
    expect(headroomLabel(at(116, 0, 120))).toBe('4 below the ceiling, 116 above the floor');
    expect(headroomLabel(at(120, 0, 120))).toBe('at the ceiling, 120 above the floor');
    expect(headroomLabel(at(5, null, null))).toBe('no limits');
    expect(headroomLabel(at(MOST, -MOST, null))).toBe('18,014,398,509,481,982 above the floor');
  });

  it('show steps with their sign, and absent limits', () => {
    expect([deltaLabel(1_200), deltaLabel(-3), deltaLabel(0)]).toEqual(['+1,200', '−3', '0']);
    expect([boundLabel(null), boundLabel(-1)]).toEqual(['none', '−1']);
  });

  it('accept integers as people type them, and nothing else', () => {
    const typed = ['12', ' -3 ', '−3', '+1,000', '1_000', '9007199254740991', '-0'];
    expect(typed.map(parseWholeNumber)).toEqual([12, -3, -3, 1_000, 1_000, MOST, 0]);
    for (const text of ['', '-', '1.5', '1e3', 'x', '9007199254740992', '0x10']) {
      expect(parseWholeNumber(text)).toBeNull();
    }
  });
});

describe('what differs between a gate and MySQL', () => {
  const row = { rev: 7, value: 5, floor: 0, ceiling: 40 } as CounterRow;
  const gateWith = (fast: GateRow['fast'], drift: number | null) => ({ fast, drift }) as GateRow;

  it('is the drift, and different limits too, which a value alone would not show', () => {
    expect(driftLabel(row, gateWith({ ...row, value: 5 }, 0))).toBe('none');
    expect(driftLabel(row, gateWith({ ...row, value: 2 }, -3))).toBe('−3');
    expect(driftLabel(row, gateWith({ ...row, value: 5, floor: 3 }, 0))).toBe('limits differ');
    expect(driftLabel(row, gateWith({ ...row, value: 2, ceiling: null }, -3))).toBe(
      '−3, limits differ',
    );
  });

  it('is not shown if nothing can be compared', () => {
    expect(driftLabel(row, gateWith(null, null))).toBe('unknown');
    expect(driftLabel(row, gateWith({ ...row, value: 5 }, null))).toBe('changing');
    expect(driftLabel(row, gateWith({ ...row, value: 5, rev: 6, floor: 3 }, 0))).toBe('none');
  });

  it('is not said to be without a value while it cannot be read', () => {
    const labels = (['empty', 'starting', 'down', 'missing'] as const).map((status) =>
      noFastValueLabel({ status }),
    );
    expect(labels).toEqual(['none', 'none', 'unknown', 'unknown']);
  });

  it('never says that more is left than it estimates', () => {
    const estimate = { low: 3, high: 6 };
    const fast = { ...row, value: 5 };
    const left = 'estimate: at least 3 above the floor, 34 below the ceiling';
    expect(estimateLabel({ fast, estimate })).toBe(left);
    expect(estimateLabel({ fast: null, estimate: null })).toBe('');
    expect(boundsLabel({ floor: null, ceiling: 40 })).toBe('floor none, ceiling 40');
  });
});

describe('a search among the counters of the past', () => {
  const rows = ['Tickets', 'seats'].map((name) => ({ namespace: 'sales', name }) as CounterRow);
  const page = { rows, matching: 2, total: 2 } as CounterPage;

  it('finds the same as one of the present, whatever the case, and says how many', () => {
    expect(foundInPast(page, 'tick')).toMatchObject({ rows: [rows[0]], matching: 1, total: 2 });
    expect(foundInPast(page, 'SALES/se')).toMatchObject({ rows: [rows[1]], matching: 1 });
    expect(foundInPast(page, 'none')).toMatchObject({ rows: [], matching: 0 });
    expect(foundInPast(page, '')).toBe(page);
  });

  it('never says that it looked through counters which were not read', () => {
    const found = { matching: 3, total: 1_200 };
    expect(foundLabel(found, 1_200)).toBe('3 of 1,200');
    expect(foundLabel(found, 500)).toBe('3 among the first 500 of 1,200');
  });
});
