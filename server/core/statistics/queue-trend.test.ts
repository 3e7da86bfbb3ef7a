import { describe, expect, it } from 'vitest';
import { queueTrend } from './queue-trend';

describe('the trend of a queue', () => {
  it('is the number of waiters by which it grew or shrank within the last minute', () => {
    expect(queueTrend([0, 1, 2, 3, 3, 4, 5])).toBe(5);
    expect(queueTrend([12, 10, 8, 6, 4, 2, 0])).toBe(-12);
    expect(queueTrend([0, 0, 0, 0, 8, 16, 24])).toBeGreaterThan(20);
  });

  it('is 0 for a queue that is steady, or varies without a direction', () => {
    expect(queueTrend([4, 4, 4, 4, 4, 4, 4])).toBe(0);
    expect(queueTrend([3, 5, 2, 6, 3, 5, 4])).toBe(0);
    expect(queueTrend([0, 9, 0, 9, 0, 9, 0])).toBe(0);
  });

  it('is unknown before a minute has passed', () => {
    expect(queueTrend([0, 1, 2, 3, 4, 5])).toBeNull();
  });
});
