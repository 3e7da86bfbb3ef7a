import { afterAll, expect } from 'vitest';
import { jobReports } from '@/server/platform/job-reports';

/** Ends by itself, within a second of the last call. */
const ENDS_BY_ITSELF = 'answer overdue commands';

/**
 * Files of tests share processes: a job that one of them leaves running would run, and be reported,
 * in those that follow.
 */
afterAll(() => {
  const left = jobReports(0).map(({ job }) => job);
  expect(left.filter((job) => job !== ENDS_BY_ITSELF)).toEqual([]);
});
