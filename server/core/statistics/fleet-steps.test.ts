import { expect, it } from 'vitest';
import { FleetSteps } from './fleet-steps';

const STEP_MS = 30_000;
const reading = (at: number, held = 1) => {
  return { at, held, waiting: 0, stuck: 0, blockingMs: 0, isWhole: true };
};
const isRising = (instants: number[]) =>
  instants.every((at, i) => i === 0 || at > Number(instants[i - 1]));

it('the course of all locks never goes back in time when the clock does', () => {
  const course = new FleetSteps(120);
  for (let i = 0; i < 6; i += 1) course.add(reading(3_600_000 + i * STEP_MS), i * STEP_MS);
  for (let i = 6; i < 9; i += 1) course.add(reading(3_600_000 - 60_000 + i * STEP_MS), i * STEP_MS);
  expect(isRising(course.all.map(({ at }) => at))).toBe(true);
  expect(course.all).toHaveLength(7);
  course.add(reading(0, 5), 9 * STEP_MS);
  expect(course.all).toMatchObject([{ at: 0, held: 5 }]);
});

it('a clock that is set back within a step loses none of it', () => {
  const course = new FleetSteps(120);
  for (let i = 0; i < 3; i += 1) course.add(reading(3_600_000 + i * STEP_MS), i * STEP_MS);
  course.add(reading(3_600_000 + 2 * STEP_MS - 500, 7), 2 * STEP_MS + 1_000);
  expect(course.all.map(({ at }) => at)).toEqual([
    3_600_000,
    3_600_000 + STEP_MS,
    3_600_000 + 2 * STEP_MS - 500,
  ]);
  expect(course.all.at(-1)).toMatchObject({ held: 7 });
});
