import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { BACK_OFFICE_JOBS } from './back-office-jobs';
import type { DemoJob } from './demo-job';
import { runWorker } from './demo-worker';
import { CRASHING, WATCHDOG } from './odd-jobs';
import { SHOP_JOBS } from './shop-jobs';
import { openTicketShop } from './ticket-shop';

// The demo fleet: twelve services that take sixty locks and sell tickets, as real clients over
// HTTP. Started by startFleet with LOCKYARD_URL and LOCKYARD_DEMO_KEYS ({"<service>": "<api key>",
// …}); ends when its parent does.
/** The fleet's own program, started with this argument, is the service that gets killed. */
const CRASHING_ARGUMENT = 'crashing';

const ALIVE_MS = 12_000;
const DEAD_MS = 75_000;

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

/**
 * Starts a process that takes a lock, kills it while it holds it, lets the lease expire, and starts
 * again.
 */
async function keepKilling(program: string): Promise<never> {
  for (;;) {
    const child = fork(program, [CRASHING_ARGUMENT], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.on('error', () => {});
    await sleep(ALIVE_MS);
    child.kill('SIGKILL');
    await sleep(DEAD_MS);
  }
}
