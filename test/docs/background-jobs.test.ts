import { expect, test, vi } from 'vitest';
import { jobReports } from '@/server/platform/job-reports';
import { ApiHarness } from '../api-harness';
import { pageText } from './pages';

test('the background jobs of a server have the names in the docs, and succeed', async () => {
  const rows =
    /## Background jobs\n([\s\S]*?)\n## /.exec(pageText('docs/operations.md'))?.[1] ?? '';
  const ofServer = rows
    .split('\n')
    .filter((row) => /what its console shows|the next row/.test(row));
  const named = ofServer.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(named.length).toBeGreaterThan(10);
  const api = await ApiHarness.start();
  try {
    await vi.waitFor(
      () => {
        const jobs = jobReports(api.runtime.clock.monotonic());
        const succeeded = jobs.filter(({ runs, failures }) => runs > failures);
        expect(succeeded.map(({ job }) => job)).toContain('record history of default');
        expect(succeeded.length).toBeGreaterThan(15);
      },
      { timeout: 30_000, interval: 100 },
    );
    const jobs = jobReports(api.runtime.clock.monotonic());
    const running = jobs.map(({ job }) => job.replace(/\bdefault\b/, '<backend>'));
    const idle = named.filter((name) => !running.includes(name ?? ''));
    // These run only while there is a watcher.
    expect(idle.sort()).toEqual(['send live lists', 'wake watches']);
    expect(await api.runtime.metrics.text()).toMatch(
      /lockyard_job_runs_total\{job="record history of default",result="success"\} [1-9]/,
    );
  } finally {
    await api.close();
  }
});
