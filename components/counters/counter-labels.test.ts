import { describe, expect, it } from 'vitest';
import {
  boundLabel,
  boundsPosition,
  deltaLabel,
  headroomLabel,
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
    [at(0, 0, null), 'atFloor', null],
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
  it('show the exact headroom either way', () => {
    expect(headroomLabel(at(1_000, 0, 5_000))).toBe(
      '1,000 above the floor, 4,000 below the ceiling',
    );
    expect(headroomLabel(at(0, 0, 5))).toBe('at the floor, 5 below the ceiling');
    expect(headroomLabel(at(5, null, 5))).toBe('at the ceiling');
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
