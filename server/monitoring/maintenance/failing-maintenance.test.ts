import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { MAINTENANCE_LEASE_MS } from '../../core/timing';
import { EngineRig } from '../../engine/testing/engine-rig';
import { systemClock } from '../../platform/clock';
import { createLog } from '../../platform/log';
import { creation, freshKey } from '../../storage/conformance/testing/changes';
import { StoreError } from '../../storage/record-store';
import { TimeSlice } from '../lock-list/order/time-slice';
import { Maintenance, type MaintenanceOptions } from './maintenance';

let rig: EngineRig;

beforeAll(async () => {
  rig = await EngineRig.open('sqlite');
});
afterAll(() => rig.close());

const idle = {
  run: async () => undefined,
  prune: async () => undefined,
  restart: () => undefined,
};

async function start(
  parts: Partial<MaintenanceOptions>,
  record: () => Promise<void>,
  write: (line: string) => void = () => undefined,
): Promise<Maintenance> {
  const { engine, faults, process } = await rig.join();
  return new Maintenance({
    backends: [{ id: 'default', store: faults, engine, epochOf: () => 1 }],
    projection: { dueForExpiry: () => [], remove: () => undefined },
    recorders: [{ ...idle, id: 'default', lagMs: () => 0, record }],
    incidents: idle,
    heat: { ...idle, flush: async () => undefined },
    alerts: { jobs: () => [], restart: () => undefined, abort: () => undefined },
    capacity: { run: async () => undefined, setLegacyLimits: async () => undefined },
    clock: systemClock,
    log: createLog({ write }),
    processId: process,
    resolveIntents: async () => undefined,
    pruneAudit: async () => undefined,
    holders: { askUrls: async () => undefined, prune: async () => undefined },
    ...parts,
  }).start();
}

it('a maintenance job that goes on failing is logged once, under its name, with the reason', async () => {
  const lines: string[] = [];
  let attempts = 0;
  const record = async () => {
    attempts += 1;
    throw new StoreError('The store is away.', 'no');
  };
  const maintenance = await start({}, record, (line) => void lines.push(line));
  await vi.waitFor(() => expect(attempts).toBeGreaterThan(2), 10_000);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      job: 'record history of default',
      err: { type: 'StoreError', message: 'The store is away.' },
    },
  ]);
  await maintenance.stop();
});

/** A clock that the process may stand still by. */
function stallingClock() {
  let stoodStillMs = 0;
  return {
    now: () => systemClock.now() + stoodStillMs,
    monotonic: () => systemClock.monotonic() + stoodStillMs,
    loseLease: () => {
      stoodStillMs += MAINTENANCE_LEASE_MS;
    },
  };
}

it('a process that stood still for longer than its lease does no job until it has the lock again', async () => {
  const clock = stallingClock();
  const begun: boolean[] = [];
  let runs = 0;
  const maintenance = await start(
    { clock, incidents: { ...idle, run: async () => void begun.push(maintenance.isRunner) } },
    async () => {
      runs += 1;
      if (runs === 1) clock.loseLease();
    },
  );
  await vi.waitFor(() => expect(begun.length).toBeGreaterThan(0), 10_000);
  expect(begun).not.toContain(false);
  await maintenance.stop();
});

it('what is done every ten minutes is not done again whenever a process has the lock again', async () => {
  const clock = stallingClock();
  const begun: number[] = [];
  let [runs, pruned] = [0, 0];
  const maintenance = await start(
    {
      clock,
      incidents: { ...idle, restart: () => void begun.push(runs) },
      pruneAudit: async () => {
        pruned += 1;
      },
    },
    async () => {
      runs += 1;
      if (runs === 2) clock.loseLease();
    },
  );
  await vi.waitFor(() => expect(begun).toHaveLength(2), 10_000);
  await vi.waitFor(() => expect(runs).toBeGreaterThan((begun[1] ?? Number.NaN) + 1), 10_000);
  expect(pruned).toBe(1);
  await maintenance.stop();
});

it('a clean-up under way ends with the process, however many records are left to look at', async () => {
  await rig.under.store.swap(Array.from({ length: 450 }, () => creation(freshKey())));
  let [instant, pages] = [0, 0];
  let stopped: Promise<void> | null = null;
  const alwaysOver = () => {
    instant += 10;
    return instant;
  };
  const stopAfterFirst = async () => {
    pages += 1;
    stopped ??= maintenance.stop();
  };
  const slice = () => new TimeSlice(alwaysOver, alwaysOver, stopAfterFirst);
  const maintenance = await start({ slice }, async () => undefined);
  await vi.waitFor(() => expect(stopped).not.toBe(null), 10_000);
  await stopped;
  expect(pages).toBe(1);
});
