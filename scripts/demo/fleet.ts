// The demo fleet: six services that take about twenty locks as real clients over HTTP. Started by startFleet with
// LOCKYARD_URL and LOCKYARD_DEMO_KEYS ({"<service>": "<api key>", …}); ends when its parent does.
import { type DemoJob, DOOMED, JOBS, WATCHDOG } from './demo-jobs';
import { runWorker } from './demo-worker';
import { DOOMED_ARGUMENT, keepKilling } from './doomed-service';

const { LOCKYARD_URL: url = '', LOCKYARD_DEMO_KEYS: keyText = '{}' } = process.env;
const keys: Record<string, string> = JSON.parse(keyText);
const [, program = '', role] = process.argv;

process.on('disconnect', () => process.exit(0));

function start(job: DemoJob): void {
  for (const owner of job.workers) void runWorker(job, owner, url, keys[job.service] ?? '');
}

if (role === DOOMED_ARGUMENT) {
  start(DOOMED);
} else {
  for (const job of [WATCHDOG, ...JOBS]) start(job);
  void keepKilling(program);
}
