import type { DemoJob, RangeMs } from '@/scripts/demo/demo-job';
import { requestFingerprint } from '../../core/request-fingerprint';
import type { RecordKey } from '../../storage/record-store';
import type { DemoWorld } from './demo-world';

/** What a worker waits for: time to pass, or the grant of its lock. */
export type Pause = { sleepMs: number } | { grantOf: string; withinMs: number };

/** A simulated worker. It is resumed with the token that it waited for, or null on a timeout. */
export type Worker = Generator<Pause, void, number | null>;

/** A hold of one worker that lasts far too long, until an operator ends it. */
export interface DemoHang {
  owner: string;
  from: number;
  to: number;
}

export interface WorkerParts {
  world: DemoWorld;
  random: () => number;
  /** The factor by which a worker's pauses are longer, by the instant. */
  restFactor: (at: number) => number;
  hang: DemoHang;
}

/** Does what `runWorker` of the fleet does, in the demo's simulated world. */
export function* demoWorker(parts: WorkerParts, job: DemoJob, owner: string): Worker {
  const { world, random } = parts;
  const rest = () => within(job.restMs, random) * parts.restFactor(world.now);
  yield { sleepMs: random() * (job.holdMs[1] + rest()) };
  for (;;) {
    const index = Math.floor(random() * job.locks.length);
    const key = { namespace: job.namespace, name: job.locks[index] ?? '' };
    const token = yield* acquire(world, job, owner, key);
    if (token !== null) yield* hold(parts, job, owner, key, token);
    yield { sleepMs: rest() };
  }
}

function* acquire(
  world: DemoWorld,
  job: DemoJob,
  owner: string,
  key: RecordKey,
): Generator<Pause, number | null, number | null> {
  const { service, leaseMs, waitMs, permits, holdAtLeastMs } = job;
  const request = world.newRequest();
  const [host = service] = owner.split(':');
  const answer = world.lock(key, {
    verb: 'acquire',
    ...{ service, owner, leaseMs, waitMs, request },
    mode: permits ? 'permit' : (job.mode ?? 'exclusive'),
    ...(permits && { permits: permits.each, capacity: permits.capacity }),
    ...(holdAtLeastMs && { holdAtLeastMs }),
    reentrant: false,
    meta: { host },
  });
  if (answer.outcome === 'granted') return answer.token;
  if (answer.outcome !== 'queued') return null;
  const token = yield { grantOf: requestFingerprint(request), withinMs: waitMs };
  if (token === null) world.lock(key, { verb: 'giveUp', request });
  return token;
}

function* hold(
  { world, random, hang }: WorkerParts,
  { service, leaseMs, holdMs }: DemoJob,
  owner: string,
  key: RecordKey,
  token: number,
): Generator<Pause, void, number | null> {
  const hangs = owner === hang.owner && world.now >= hang.from && world.now < hang.to;
  const endsAt = hangs ? hang.to + leaseMs : world.now + within(holdMs, random);
  while (world.now < endsAt) {
    yield { sleepMs: Math.min(endsAt - world.now, leaseMs / 3) };
    if (world.now >= endsAt) break;
    const { outcome } = world.lock(key, { verb: 'renew', service, owner, token, leaseMs });
    if (outcome !== 'renewed') return;
  }
  world.lock(key, { verb: 'release', service, owner, token, request: null });
}

const within = ([least, most]: RangeMs, random: () => number) => least + random() * (most - least);
