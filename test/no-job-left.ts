import { afterAll, expect } from 'vitest';
import { jobReports } from '@/server/platform/job-reports';

/** They end with the last call of an engine; calls of a process that was killed wait to the end. */
const END_WITH_CALLS = ['answer overdue commands', 'check multi-locks that wait'];

const jobs = () => jobReports(0).map(({ job }) => job);

/** Left running by earlier files, which fail because of it. */
const foundHere = jobs();

/**
 * Test files share processes: a job that one file leaves running would run, and be reported, in the
 * files that follow.
 */
afterAll(() => {
  const left = jobs().filter((job) => ![...END_WITH_CALLS, ...foundHere].includes(job));
  expect(left).toEqual([]);
});
