/** The state of the background jobs of one name since this process began. */
export interface JobReport {
  job: string;
  /** How many of this name run now: one for each backend, or connection. */
  running: number;
  runs: number;
  failures: number;
  /** Whether the last run of any of them failed. */
  isFailing: boolean;
  /** Time since the last success, or the start, of the one that is furthest behind. */
  sinceSuccessMs: number;
  /** The configured pause between two runs; of several jobs, the longest. */
  everyMs: number;
}

/** What a job reports about itself while it runs. */
interface RunningJob {
  readonly isFailing: boolean;
  /** Monotonic. */
  readonly lastSuccessAt: number;
  readonly pauseMs: number;
}

const running = new Map<string, Set<RunningJob>>();
const totals = new Map<string, { runs: number; failures: number }>();

/** Reports the job from now on, until the returned function is called. */
export function reportJob(job: string, state: RunningJob): () => void {
  const ofName = running.get(job) ?? new Set();
  running.set(job, ofName.add(state));
  return () => {
    ofName.delete(state);
    if (ofName.size === 0) running.delete(job);
  };
}

/** Counts a run that has ended. Counts outlive the jobs, as counters of metrics do. */
export function countRun(job: string, hasFailed: boolean): void {
  const sum = totals.get(job) ?? { runs: 0, failures: 0 };
  totals.set(job, { runs: sum.runs + 1, failures: sum.failures + Number(hasFailed) });
}

/** The jobs that run now, by name. @param now monotonic */
export function jobReports(now: number): JobReport[] {
  return [...running]
    .map(([job, ofName]) => {
      const all = [...ofName];
      return {
        job,
        running: all.length,
        ...(totals.get(job) ?? { runs: 0, failures: 0 }),
        isFailing: all.some(({ isFailing }) => isFailing),
        sinceSuccessMs: Math.max(...all.map(({ lastSuccessAt }) => now - lastSuccessAt)),
        everyMs: Math.max(...all.map(({ pauseMs }) => pauseMs)),
      };
    })
    .sort((a, b) => (a.job < b.job ? -1 : 1));
}
