// The demo fleet: twelve services that take sixty locks and sell tickets, as real clients over
// HTTP. Started by startFleet with LOCKYARD_URL and LOCKYARD_DEMO_KEYS ({"<service>": "<api key>",
// …}); ends when its parent does.
import { BACK_OFFICE_JOBS } from './back-office-jobs';
import type { DemoJob } from './demo-job';
import { runWorker } from './demo-worker';
import { CRASHING_ARGUMENT, keepKilling } from './doomed-service';
import { CRASHING, WATCHDOG } from './odd-jobs';
import { SHOP_JOBS } from './shop-jobs';
import { openTicketShop } from './ticket-shop';

const { LOCKYARD_URL: url = '', LOCKYARD_DEMO_KEYS: keyText = '{}' } = process.env;
const keys: Record<string, string> = JSON.parse(keyText);
const [, program = '', role] = process.argv;

process.on('disconnect', () => process.exit(0));
// It may have gone before this could listen.
if (!process.connected) process.exit(0);

function start(job: DemoJob): void {
  for (const owner of job.workers) void runWorker(job, owner, url, keys[job.service] ?? '');
}

if (role === CRASHING_ARGUMENT) {
  for (const job of CRASHING) start(job);
} else {
  for (const job of [WATCHDOG, ...SHOP_JOBS, ...BACK_OFFICE_JOBS]) start(job);
  openTicketShop({ url, apiKey: keys.tickets ?? '' });
  void keepKilling(program);
}
