import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../time-units';
import { counterCourse } from './counter-course';
import { addCounterEvent, emptyCounterMinute, STEPS_MAX } from './counter-minute';

const HOUR = Date.UTC(2026, 10, 20, 9);
const NOW = HOUR + 59.5 * MINUTE_MS;
const minute = (index: number, value: number, added: number, removed: number, changes = 1) => ({
  minute: HOUR + index * MINUTE_MS,
  ...{ changes, added, removed, value },
});

describe('the course of a counter', () => {
  it('is flat where nothing happened, and begins with the value before the first change', () => {
    const { points } = counterCourse([minute(10, 40, 0, 60), minute(30, 45, 5, 0)], 0, NOW);
    expect(points.map(({ at, value }) => [(at - HOUR) / MINUTE_MS, value])).toEqual([
      [-0.5, 100],
      [10, 100],
      [11, 40],
      [30, 40],
      [31, 45],
    ]);
  });

  it('omits what is older than an hour, or belonged to an earlier counter of that name', () => {
    const old = [minute(-2, 5, 5, 0), minute(10, 40, 0, 60), minute(30, 9, 9, 0)];
    expect(counterCourse(old, 0, NOW).points[0]?.value).toBe(100);
    const createdAt = HOUR + 20 * MINUTE_MS;
    const { points } = counterCourse(old, createdAt, NOW);
    expect(points[0]).toEqual({ at: createdAt, value: 0 });
    expect(points.at(-1)?.value).toBe(9);
  });

  it('omits minutes that are in the future, from before the clock was set back', () => {
    const past = [minute(58, 40, 2, 0, 2)];
    const ahead = [...past, minute(200, 900, 860, 0, 9)];
    expect(counterCourse(ahead, 0, NOW)).toEqual(counterCourse(past, 0, NOW));
  });

  it('ends with the value after a move to another shard, in any order of its minutes', () => {
    const onOld = [minute(48, 0, 1, 0), minute(50, 3, 3, 0, 2)];
    const onNew = [minute(50, 1, 0, 2)];
    const whole = counterCourse([minute(48, 0, 1, 0), minute(50, 1, 3, 2, 3)], 0, NOW);
    expect(whole.points.at(-1)?.value).toBe(1);
    expect(counterCourse([...onOld, ...onNew], 0, NOW)).toEqual(whole);
    expect(counterCourse([...onNew, ...onOld], 0, NOW)).toEqual(whole);
  });

  it('has the rate of the last ten minutes, or of the time since the counter was created', () => {
    const minutes = [minute(49, 0, 99, 0, 99), minute(50, 10, 10, 0, 2), minute(59, 6, 6, 10, 8)];
    const { rate } = counterCourse(minutes, 0, NOW);
    expect(rate.changes).toBeCloseTo(10 / 9.5);
    expect(rate.net).toBeCloseTo(6 / 9.5);
    const young = counterCourse([minute(59, 6, 6, 0, 3)], NOW - 2_000, NOW);
    expect(young.rate).toEqual({ changes: 3, net: 6 });
  });

  it('counts steps, not the creation or new limits, and never beyond what is exact', () => {
    const sum = emptyCounterMinute(HOUR);
    const event = { at: HOUR, rev: 1, service: 'shop' };
    addCounterEvent(sum, { ...event, kind: 'created', value: 7, floor: 0, ceiling: null });
    addCounterEvent(sum, { ...event, kind: 'added', value: 4, delta: -3 });
    addCounterEvent(sum, { ...event, kind: 'rebound', value: 4, floor: 1, ceiling: null });
    expect(sum).toMatchObject({ changes: 1, added: 0, removed: 3, value: 4 });
    for (let i = 0; i < 3; i += 1) {
      addCounterEvent(sum, { ...event, kind: 'added', value: 0, delta: STEPS_MAX });
    }
    expect(sum.added).toBe(STEPS_MAX);
  });

  it('counts nothing of a deleted counter that had the same name in the same minute', () => {
    const sum = emptyCounterMinute(HOUR);
    const event = { at: HOUR, rev: 1, service: 'shop' };
    addCounterEvent(sum, { ...event, kind: 'added', value: 90, delta: 5 });
    addCounterEvent(sum, { ...event, kind: 'created', value: 7, floor: 0, ceiling: null });
    addCounterEvent(sum, { ...event, kind: 'added', value: 4, delta: -3 });
    expect(sum).toEqual(minute(0, 4, 0, 3));
  });
});
