import type { HistoryLag } from '../../monitoring/maintenance/maintenance';
import type { JobReport } from '../../platform/job-reports';
import { type Finding, lengthOf, ok, problem, warning } from './finding';

const SUBJECT = 'background jobs';
const RECORDER = 'event recorder';
/** A job may be this late for a while, for example when its database is slow. */
const LATE_MS = 30_000;
const LAG_MAX_MS = 60_000;

const AWAY = 'Look for its name in the log, which has the error; its database may be down.';

/** Whether the jobs of a process do their work, and whether any process runs maintenance. */
export function jobFindings(
  jobs: JobReport[],
  maintenance: { runner: string | null; isHere: boolean },
  historyLags: readonly HistoryLag[],
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
    ...(maintenance.isHere ? recorderFindings(historyLags) : []),
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

function recorderFindings(historyLags: readonly HistoryLag[]): Finding[] {
  const behind = historyLags.filter(({ lagMs }) => lagMs > LAG_MAX_MS);
  const skipping = historyLags.filter(({ unreadableCommits }) => unreadableCommits > 0);
  const worst = Math.max(0, ...historyLags.map(({ lagMs }) => lagMs));
  return [
    ...behind.map(({ store, lagMs }) =>
      problem(
        RECORDER,
        `the events of ${store} have not been recorded for ${lengthOf(lagMs)}`,
        `Look for "record history of ${store}" in the log; the control database may be too slow.`,
      ),
    ),
    ...skipping.map(({ store, unreadableCommits }) =>
      warning(
        RECORDER,
        `the events of ${unreadableCommits} commits of ${store} are not recorded: no version of ` +
          'Lockyard wrote what is stored of them',
        'Look for "unreadable" in the log, and find out which program writes to this store.',
      ),
    ),
    ...(behind.length === 0 ? [ok(RECORDER, `at most ${lengthOf(worst)} behind`)] : []),
  ];
}
