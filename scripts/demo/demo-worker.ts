import { setTimeout as sleep } from 'node:timers/promises';
import { LockyardClient } from '../../client/lockyard-client';
import { withLock } from '../../client/with-lock';
import { withLocks } from '../../client/with-locks';
import type { DemoJob, RangeMs } from './demo-job';
import type { DEADLOCK } from './odd-jobs';
import { within } from './within';

/** The versions that the services report. */
const VERSIONS: Record<string, string> = {
  orders: '4.2.1',
  inventory: '2.14.0',
  shipping: '1.9.3',
  billing: '7.0.2',
  media: '3.3.0',
  cron: '1.2.8',
  search: '5.1.4',
  pricing: '2.0.7',
  tickets: '1.0.0',
  payments: '6.3.1',
  mailer: '3.8.2',
  analytics: '0.9.5',
};

/** All start soon, so that there is something to see; those that never rest start first. */
const START_MS: RangeMs = [500, 3_000];

/**
 * The pause after a first attempt of one that never rests fails: others would otherwise be first.
 */
const AT_ONCE_MS: RangeMs = [200, 200];

/** The pause after a loss or a failure. */
const RECOVER_MS: RangeMs = [20_000, 45_000];

/** Runs one worker of a job for ever. Whatever happens to its lock, it resumes after a while. */
export async function runWorker(
  job: DemoJob,
  owner: string,
  url: string,
  apiKey: string,
  meta: Record<string, string> = workerMeta(job.service, owner),
): Promise<never> {
  const { namespace, leaseMs, waitMs, holdAtLeastMs, permits } = job;
  const share = permits && { permits: permits.each, capacity: permits.capacity };
  const mode = share ? ('permit' as const) : job.mode;
  const first = job.workers.indexOf(owner);
  const client = new LockyardClient({ url, apiKey, namespace });
  const isRestless = job.restMs[0] === 0;
  await sleep(within(isRestless ? [0, 0] : START_MS));
  for (let turn = 0; ; turn += 1) {
    const isKnown = turn >= job.locks.length;
    const index = isKnown ? Math.floor(Math.random() * job.locks.length) : first + turn;
    const names = neighbours(job, index);
    const work = ({ signal }: { signal: AbortSignal }) =>
      sleep(within(job.holdMs), undefined, { signal });
    const options = { client, owner, leaseMs, waitMs, meta };
    const [only = ''] = names;
    const turnEnded =
      names.length > 1
        ? withLocks(names, options, work)
        : withLock(only, { ...options, mode, holdAtLeastMs, ...share }, work);
    await turnEnded.catch(() => sleep(within(isRestless && turn === 0 ? AT_ONCE_MS : RECOVER_MS)));
    await sleep(within(job.restMs));
  }
}

/** Takes both locks of one transfer, one within the other, in the transfer's order. */
export async function runTransfer(
  { service, namespace, leaseMs }: typeof DEADLOCK,
  { owner, first, second }: (typeof DEADLOCK.transfers)[number],
  url: string,
  apiKey: string,
): Promise<never> {
  const client = new LockyardClient({ url, apiKey, namespace });
  const options = { client, owner, leaseMs, meta: workerMeta(service, owner) };
  const waitMs = Number.POSITIVE_INFINITY;
  for (;;) {
    await sleep(within(START_MS));
    await withLock(first, { ...options, waitMs }, async ({ signal }) => {
      await sleep(START_MS[1], undefined, { signal });
      await withLock(second, { ...options, waitMs, signal }, async () => {});
    }).catch(() => sleep(within(RECOVER_MS)));
  }
}

function neighbours({ locks, together = 1 }: DemoJob, index: number): string[] {
  return Array.from({ length: together }, (_, i) => locks[(index + i) % locks.length] ?? '');
}

/** What a real worker would report about itself: its pod, a process id and its release. */
function workerMeta(service: string, owner: string): Record<string, string> {
  const [host = service] = owner.split(':');
  const pid = 7 + [...owner].reduce((sum, char) => sum + char.charCodeAt(0), 0);
  return { host, pid: String(pid), version: VERSIONS[service] ?? '1.0.0' };
}
