import type { JobReport } from '../../platform/job-reports';
import { type Finding, lengthOf, ok, problem, warning } from './finding';

const SUBJECT = 'background jobs';
/** A job may be this late for a while, for example when its database is slow. */
const LATE_MS = 30_000;
const LAG_MAX_MS = 60_000;

const AWAY = 'Look for its name in the log, which has the error; its database may be down.';

/** Whether the jobs of a process do their work, and whether any process runs maintenance. */
export function jobFindings(
  jobs: JobReport[],
  maintenance: { runner: string | null; isHere: boolean },
  historyLags: { store: string; lagMs: number }[],
): Finding[] {
  const late = jobs.filter((job) => job.sinceSuccessMs > 3 * job.everyMs + LATE_MS);
  const failing = jobs.filter((job) => job.isFailing && !late.includes(job));
  return [
    ...late.map(({ job, sinceSuccessMs }) =>
      problem(SUBJECT, `"${job}" has not succeeded for ${lengthOf(sinceSuccessMs)}`, AWAY),
    ),
    ...failing.map(({ job, failures }) =>
      warning(SUBJECT, `"${job}" failed when it last ran (${failures} times so far)`, AWAY),
    ),
    ...(late.length + failing.length === 0 ? [ok(SUBJECT, `all ${jobs.length} run`)] : []),
    maintenanceFinding(maintenance),
    ...(maintenance.isHere ? lagFindings(historyLags) : []),
  ];
}

function maintenanceFinding({
  runner,
  isHere,
}: {
  runner: string | null;
  isHere: boolean;
}): Finding {
  if (runner === null) {
    const advice = 'Wait a minute; then look for "hold the maintenance lock" in the log.';
    return problem('maintenance', 'no process records history, roll-ups and alerts', advice);
  }
  return ok('maintenance', isHere ? 'run by this process' : `run by process ${runner}`);
}

function lagFindings(historyLags: { store: string; lagMs: number }[]): Finding[] {
  const behind = historyLags.filter(({ lagMs }) => lagMs > LAG_MAX_MS);
  const worst = Math.max(0, ...historyLags.map(({ lagMs }) => lagMs));
  if (behind.length === 0) {
    return [ok('event recorder', `at most ${lengthOf(worst)} behind`)];
  }
  return behind.map(({ store, lagMs }) =>
    problem(
      'event recorder',
      `the events of ${store} have not been recorded for ${lengthOf(lagMs)}`,
      `Look for "record history of ${store}" in the log; the control database may be too slow.`,
    ),
  );
}
