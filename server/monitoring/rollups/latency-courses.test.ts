import { expect, test } from 'vitest';
import {
  type BackendHealth,
  COURSE_SPAN_MS,
  COURSE_STEP_MS,
} from '../../contract/console/backend-health';
import { TestClock } from '../../platform/testing/test-clock';
import { LATENCY_SAMPLE_EVERY_MS, LatencyCourses } from './latency-courses';

function rig() {
  const clock = new TestClock();
  clock.pass(COURSE_STEP_MS - (clock.now() % COURSE_STEP_MS));
  const health: BackendHealth = {
    ...{ id: 'orders', kind: 'mysql', reachable: true, latencyMs: 2 },
    ...{ silentForMs: 0, clockOffsetMs: 0 },
  };
  const courses = new LatencyCourses(() => [health], clock);
  const sampleFor = (ms: number) => {
    for (let passed = 0; passed < ms; passed += LATENCY_SAMPLE_EVERY_MS) {
      courses.sample();
      clock.pass(LATENCY_SAMPLE_EVERY_MS);
    }
  };
  return { clock, health, courses, sampleFor, points: () => courses.now().courses[0]?.points };
}

test('a step of the course has its slowest response, or says that there was none', () => {
  const { health, sampleFor, points } = rig();
  sampleFor(COURSE_STEP_MS / 2);
  health.latencyMs = 40;
  sampleFor(COURSE_STEP_MS / 2);
  health.reachable = false;
  sampleFor(COURSE_STEP_MS);
  health.reachable = true;
  health.latencyMs = 3;
  sampleFor(LATENCY_SAMPLE_EVERY_MS);
  expect(points()?.map(({ latencyMs, wasSilent }) => [latencyMs, wasSilent])).toEqual([
    [40, false],
    [null, true],
    [3, false],
  ]);
});

test('the course covers only the last hour, even after a pause of the process', () => {
  const { clock, sampleFor, points } = rig();
  sampleFor(2 * COURSE_SPAN_MS);
  expect(points()).toHaveLength(COURSE_SPAN_MS / COURSE_STEP_MS);
  clock.pass(COURSE_SPAN_MS);
  expect(points()).toEqual([]);
});

test('a clock that was set back leaves no point in the future, and the course continues', () => {
  const { clock, health, courses, sampleFor } = rig();
  sampleFor(COURSE_SPAN_MS);
  clock.pass(-COURSE_SPAN_MS / 2);
  health.latencyMs = 50;
  sampleFor(4 * COURSE_STEP_MS);
  const { courses: [course] = [], asOf } = courses.now();
  const points = course?.points ?? [];
  expect(points.filter(({ at }) => at > asOf)).toEqual([]);
  expect(points.slice(-4).map(({ latencyMs }) => latencyMs)).toEqual([50, 50, 50, 50]);
});

test('a backend that has not responded yet has no response time', () => {
  const { health, courses, points } = rig();
  health.latencyMs = null;
  courses.sample();
  expect(points()).toBeUndefined();
  health.reachable = false;
  courses.sample();
  expect(points()).toMatchObject([{ latencyMs: null, wasSilent: true }]);
});
