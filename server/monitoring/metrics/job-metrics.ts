import type { JobReport } from '../../platform/job-reports';
import type { HistoryLag } from '../maintenance/maintenance';
import type { MetricFamily } from './metrics';

/** Successes and failures of the background jobs of this process, and the lag of the history. */
export function jobMetrics(jobs: JobReport[], historyLags: HistoryLag[]): MetricFamily[] {
  return [
    {
      name: 'lockyard_job_runs_total',
      help: 'Runs of a background job that have ended in this process.',
      type: 'counter',
      samples: jobs.flatMap(({ job, runs, failures }) => [
        { labels: { job, result: 'success' }, value: runs - failures },
        { labels: { job, result: 'failure' }, value: failures },
      ]),
    },
    {
      name: 'lockyard_job_silent_seconds',
      help: 'Time since the last success of a background job that runs in this process.',
      type: 'gauge',
      samples: jobs.map(({ job, sinceSuccessMs }) => ({
        labels: { job },
        value: sinceSuccessMs / 1_000,
      })),
    },
    {
      name: 'lockyard_history_lag_seconds',
      help: 'How long events have not been recorded; only at the process that records them.',
      type: 'gauge',
      samples: historyLags.map(({ store, lagMs }) => ({
        labels: { backend: store },
        value: lagMs / 1_000,
      })),
    },
  ];
}
