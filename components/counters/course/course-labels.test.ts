import { describe, expect, it } from 'vitest';
import { boundLabelAhead, rateLabel } from './course-labels';

const course = (net: number, changes = 12) => ({ points: [], rate: { changes, net } });

describe('the rate of a counter', () => {
  it('says by how much it moves in a minute and how often, with its sign', () => {
    expect(rateLabel(course(-41.4))).toBe('−41/min, 12\u00a0changes/min');
    expect(rateLabel(course(0.25, 0.5))).toBe('+0.3/min, 0.5\u00a0changes/min');
    expect(rateLabel(course(-1, 1.04))).toBe('−1/min, 1\u00a0change/min');
    expect(rateLabel(course(0))).toBe('±0/min, 12\u00a0changes/min');
    expect(rateLabel(course(0, 0))).toBe('no change in last 10\u00a0min');
  });

  it('says when the value comes to the bound that it moves towards, within a day', () => {
    const row = { value: 100, floor: 0, ceiling: 300 };
    expect(boundLabelAhead(row, course(-40))).toBe('at the floor in about 2.5\u00a0min');
    expect(boundLabelAhead(row, course(100))).toBe('at the ceiling in about 2\u00a0min');
    expect(boundLabelAhead(row, course(-0.01))).toBeNull();
    expect(boundLabelAhead(row, course(0))).toBeNull();
    expect(boundLabelAhead({ ...row, floor: null }, course(-40))).toBeNull();
    expect(boundLabelAhead({ ...row, value: 0 }, course(-40))).toBeNull();
  });

  it('predicts a time no more exactly than a rate allows', () => {
    const ahead = (ms: number) =>
      boundLabelAhead({ value: ms, floor: 0, ceiling: null }, course(-60_000));
    const about = (time: string) => `at the floor in about ${time}`;
    expect(ahead(900)).toBe(about('10\u00a0s'));
    expect(ahead(44_000)).toBe(about('40\u00a0s'));
    expect(ahead(56_000)).toBe(about('1\u00a0min'));
    expect(ahead(6 * 60_000)).toBe(about('6\u00a0min'));
    expect(ahead(35.4 * 60_000)).toBe(about('35\u00a0min'));
    expect(ahead(59.8 * 60_000)).toBe(about('1\u00a0h'));
    expect(ahead(3.4 * 3_600_000)).toBe(about('3.5\u00a0h'));
    expect(ahead(23.9 * 3_600_000)).toBe(about('24\u00a0h'));
  });
});
