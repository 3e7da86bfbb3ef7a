import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { runWitness } from '../../client/command/witness/run-witness';
import { BACK_OFFICE_JOBS } from './back-office-jobs';
import type { DemoJob } from './demo-job';
import { DEMO_WITNESS } from './demo-plan';
import { runTransfer, runWorker } from './demo-worker';
import { CRASHING, DEADLOCK, ORPHANING, WATCHDOG } from './odd-jobs';
import { movePallets } from './pallets';
import { SHOP_JOBS } from './shop-jobs';
import { openTicketShop } from './ticket-shop';

// The demo fleet: twelve services that take sixty locks and sell tickets, as real clients over
// HTTP. Started by startFleet with LOCKYARD_URL and LOCKYARD_DEMO_KEYS ({"<service>": "<api key>",
// …}); ends when its parent does.
/** The fleet's own program, started with this argument, is the service that gets killed. */
const CRASHING_ARGUMENT = 'crashing';
/** The same for the service whose lock outlives it. */
const ORPHANING_ARGUMENT = 'orphaning';

const ALIVE_MS = 12_000;
const DEAD_MS = 75_000;

const { LOCKYARD_URL: url = '', LOCKYARD_DEMO_KEYS: keyText = '{}' } = process.env;
const keys: Record<string, string> = JSON.parse(keyText);
const [, program = '', role] = process.argv;

process.on('disconnect', () => process.exit(0));
// The parent may have ended before this listener existed.
if (!process.connected) process.exit(0);

function start(job: DemoJob): void {
  for (const owner of job.workers) void runWorker(job, owner, url, keys[job.service] ?? '');
}

if (role === CRASHING_ARGUMENT) {
  for (const job of CRASHING) start(job);
} else if (role === ORPHANING_ARGUMENT) {
  // Its hold names the real process, so that a witness can check it.
  for (const owner of ORPHANING.workers) {
    void runWorker(ORPHANING, owner, url, keys[ORPHANING.service] ?? '', {});
  }
} else {
  for (const job of [WATCHDOG, ...SHOP_JOBS, ...BACK_OFFICE_JOBS]) start(job);
  const { service, transfers } = DEADLOCK;
  for (const each of transfers) void runTransfer(DEADLOCK, each, url, keys[service] ?? '');
  openTicketShop({ url, apiKey: keys.tickets ?? '' });
  void movePallets(url, keys.shipping ?? '');
  void keepKilling(program);
  void leaveOrphans(program);
  // If this machine cannot be witnessed, the demo runs without a witness.
  process.env.LOCKYARD_API_KEY = keys[DEMO_WITNESS] ?? '';
  runWitness(['--quiet']).catch(() => undefined);
}

/**
 * Starts a process that takes a lock, kills it while it holds the lock, lets the lease expire, and
 * repeats.
 */
async function keepKilling(program: string): Promise<never> {
  for (;;) {
    await killAfter(program, CRASHING_ARGUMENT, ALIVE_MS);
    await sleep(DEAD_MS);
  }
}

/**
 * Kills a process that holds a lock with a long lease; starts the next when the lease has expired.
 */
async function leaveOrphans(program: string): Promise<never> {
  for (;;) {
    await killAfter(program, ORPHANING_ARGUMENT, ALIVE_MS);
    await sleep(ORPHANING.leaseMs);
  }
}

async function killAfter(program: string, argument: string, aliveMs: number): Promise<void> {
  const child = fork(program, [argument], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  child.on('error', () => {});
  await sleep(aliveMs);
  child.kill('SIGKILL');
}
