import { BACK_OFFICE_JOBS } from '@/scripts/demo/back-office-jobs';
import { DEMO_NAMESPACES } from '@/scripts/demo/demo-plan';
import { PALLETS, PALLETS_MAX } from '@/scripts/demo/pallets';
import { SHOP_JOBS } from '@/scripts/demo/shop-jobs';
import { STOCK, TICKETS } from '@/scripts/demo/ticket-shop';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { MINUTE_MS } from '../../core/time-units';
import type { RecordKey } from '../../storage/record-store';
import { DemoReadings } from './demo-readings';
import { type DemoHang, demoWorker, type Worker } from './demo-workers';
import { DemoWorld } from './demo-world';

const READ_EVERY_MS = 2_000;

/** Time before the hour that is shown, at whose beginning every worker is busy. */
const WARM_UP_MS = 3 * MINUTE_MS;

/** The factors by which the workers' pauses are longer, at the beginning and at the end. */
const REST_FACTORS: readonly [first: number, last: number] = [5, 2.6];

/** The incident: this worker of a busy lock hangs, and keeps renewing, until it is released. */
const HANGING = { owner: 'inventory-5d8f:worker-11', startsBeforeMs: 27 * MINUTE_MS };
const HANG_MS = 5 * MINUTE_MS + 40_000;
const ACT = {
  key: { namespace: 'shop', name: 'inventory:wh7:sku-10442' },
  by: 'demo',
  reason: 'Its upstream call has hung since the deployment; the job can be repeated.',
};

/** Work of this length or more would delay a queue for too long. */
const LONG_MS = 10_000;

const SALES_EVERY_MS = 2_600;
const PALLETS_EVERY_MS = 11_000;

const policyOf = (namespace: string) => ({
  ...DEFAULT_POLICY,
  ...DEMO_NAMESPACES.find(({ name }) => name === namespace)?.policy,
});

/** A force-release by an operator in the demo's past. */
export interface DemoAct {
  at: number;
  key: RecordKey;
  by: string;
  reason: string;
  token: number;
}

/** An hour of the demo's past. */
export interface DemoHour {
  world: DemoWorld;
  readings: DemoReadings;
  act: DemoAct | null;
}

interface Task {
  at: number;
  worker: Worker;
  /** The value with which its worker is resumed. */
  value: number | null;
  grantOf: string | null;
}

/**
 * Simulates an hour of the demo's services, with one incident, by the same rules that decide in
 * production and on a clock that only jumps. At the end all locks are free.
 *
 * @param random from 0 up to 1
 */
export function playDemoHour(now: number, epoch: number, random: () => number): DemoHour {
  const from = now - 60 * MINUTE_MS - WARM_UP_MS;
  const tasks: Task[] = [];
  const world = new DemoWorld(from, epoch, policyOf, (tag, token) => {
    const task = tasks.find(({ grantOf }) => grantOf === tag);
    if (task) Object.assign(task, { at: world.now, value: token, grantOf: null });
  });
  const readings = new DemoReadings('default', policyOf);
  const hangFrom = now - HANGING.startsBeforeMs;
  const hang: DemoHang = { owner: HANGING.owner, from: hangFrom, to: hangFrom + HANG_MS };
  const [first, last] = REST_FACTORS;
  const restFactor = (at: number) => last + ((first - last) * (now - at)) / (now - from);
  const taken = new Set<string>();
  for (const job of [...SHOP_JOBS, ...BACK_OFFICE_JOBS]) {
    for (const [i, owner] of job.workers.entries()) {
      // Long work has no queue, so that the incident is the only one.
      const isLong = job.holdMs[1] >= LONG_MS && job.mode !== 'shared' && !job.permits;
      const lock = job.locks[i];
      if (isLong ? !lock || taken.has(lock) : job.locks.every((name) => taken.has(name))) continue;
      if (isLong && lock) taken.add(lock);
      const own = isLong && lock ? { ...job, locks: [lock] } : job;
      const worker = demoWorker({ world, random, restFactor, hang }, own, owner);
      tasks.push({ at: from, worker, value: null, grantOf: null });
    }
  }
  let act: DemoAct | null = null;
  const operator = later(hang.to - from, () => {
    act = releaseByForce(world);
  });
  const others = [takeReadings(world, readings), sellTickets(world, random), operator];
  for (const worker of [...others, movePallets(world, random)]) {
    tasks.push({ at: from, worker, value: null, grantOf: null });
  }
  run(tasks, world, now);
  world.now = now;
  endAll(world);
  return { world, readings, act };
}

function run(tasks: Task[], world: DemoWorld, until: number): void {
  for (;;) {
    let next: Task | undefined;
    for (const task of tasks) if (!next || task.at < next.at) next = task;
    if (!next || next.at >= until) return;
    world.now = Math.max(world.now, Math.floor(next.at));
    const { value, done } = next.worker.next(next.value);
    next.value = null;
    if (done || !value) tasks.splice(tasks.indexOf(next), 1);
    else if ('sleepMs' in value) next.at = world.now + Math.max(1, value.sleepMs);
    else Object.assign(next, { at: world.now + value.withinMs, grantOf: value.grantOf });
  }
}

function* later(afterMs: number, act: () => void): Worker {
  yield { sleepMs: afterMs };
  act();
}

function* takeReadings(world: DemoWorld, readings: DemoReadings): Worker {
  let seen = 0;
  for (;;) {
    for (const { key, events } of world.changes.slice(seen)) {
      for (const event of events) {
        if ('heldMs' in event && event.heldMs !== undefined) {
          readings.noteHold(`${key.namespace}/${key.name}`, event.heldMs);
        }
      }
    }
    seen = world.changes.length;
    readings.read(world.locks.values(), world.now, READ_EVERY_MS);
    yield { sleepMs: READ_EVERY_MS };
  }
}

function* sellTickets(world: DemoWorld, random: () => number): Worker {
  const key = { namespace: 'shop', name: STOCK, kind: 'counter' as const };
  const party = { service: 'tickets' };
  const bounds = { floor: 0, ceiling: TICKETS };
  world.counter(key, { verb: 'create', initial: TICKETS, ...bounds, party, request: null });
  for (;;) {
    const left = world.counterValue(key);
    const sold = Math.min(left, 1 + Math.floor(random() * 5));
    const delta = left === 0 ? TICKETS : -sold;
    world.counter(key, { verb: 'add', delta, party, request: null });
    yield { sleepMs: left - sold === 0 ? 20_000 : SALES_EVERY_MS * (0.5 + random()) };
  }
}

/** The bay fills over the hour, until it is almost full. */
function* movePallets(world: DemoWorld, random: () => number): Worker {
  const key = { namespace: 'shop', name: PALLETS, kind: 'counter' as const };
  const party = { service: 'shipping' };
  const bounds = { floor: 0, ceiling: PALLETS_MAX };
  world.counter(key, { verb: 'create', initial: 31, ...bounds, party, request: null });
  for (;;) {
    const isFull = world.counterValue(key) >= PALLETS_MAX - 3;
    const delta = isFull || random() < 0.37 ? -1 : 1;
    world.counter(key, { verb: 'add', delta, party, request: null });
    yield { sleepMs: PALLETS_EVERY_MS * (0.5 + random()) };
  }
}

function releaseByForce(world: DemoWorld): DemoAct | null {
  const { key, by, reason } = ACT;
  const hold = [...world.locks.values()]
    .find((lock) => lock.key.name === key.name)
    ?.record.holds.find(({ owner }) => owner === HANGING.owner);
  if (!hold) return null;
  const { token } = hold;
  world.lock(key, { verb: 'forceRelease', token, by, reason, request: world.newRequest() });
  return { at: world.now, key, by, reason, token };
}

/** Frees every lock, as services do when they shut down properly. */
function endAll(world: DemoWorld): void {
  for (const { key } of [...world.locks.values()]) {
    const now = () => world.locks.get(`${key.namespace}/${key.name}`)?.record;
    for (const { service, owner, tag } of now()?.queue ?? []) {
      const request = { key: tag.slice(0, 11).padEnd(22, '0'), inputHash: ''.padEnd(22, '0') };
      world.lock(key, {
        verb: 'cancel',
        service,
        owner,
        request: { ...request, remembered: false },
      });
    }
    for (const { service, owner, token } of now()?.holds ?? []) {
      world.lock(key, { verb: 'release', service, owner, token, request: null });
    }
  }
}
