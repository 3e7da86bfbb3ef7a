import { expect, test } from 'vitest';
import { COURSE_SPAN_MS, COURSE_STEP_MS } from '@/server/contract/console/backend-health';
import { courseBars, courseSummary } from './course-bars';

const NOW = 40 * COURSE_SPAN_MS + 11_000;
const step = (ago: number) => 40 * COURSE_SPAN_MS - ago * COURSE_STEP_MS;

test('a course is drawn against its slowest step; one without a response has full height', () => {
  const points = [
    { at: step(2), latencyMs: 5, wasSilent: false },
    { at: step(1), latencyMs: null, wasSilent: true },
    { at: step(0), latencyMs: 20, wasSilent: false },
  ];
  expect(courseBars(points, NOW)).toEqual([
    { at: step(2), left: 117, share: 0.25, isSilent: false },
    { at: step(1), left: 118, share: 1, isSilent: true },
    { at: step(0), left: 119, share: 1, isSilent: false },
  ]);
});

test('what is older than an hour is not drawn', () => {
  expect(courseBars([{ at: step(120), latencyMs: 9, wasSilent: false }], NOW)).toEqual([]);
});

test('the words of a course name its range and each silence', () => {
  const plain = (text: string) => text.replaceAll('\u00a0', ' ');
  const fast = { at: step(1), latencyMs: 2.25, wasSilent: false };
  expect(plain(courseSummary([fast, { ...fast, latencyMs: 31 }]))).toBe('2.3 ms to 31 ms');
  expect(plain(courseSummary([fast, { at: step(0), latencyMs: null, wasSilent: true }]))).toBe(
    '2.3 ms to 2.3 ms, out of service in 1 of 2 half-minutes',
  );
  expect(courseSummary([])).toBe('no readings yet');
});
