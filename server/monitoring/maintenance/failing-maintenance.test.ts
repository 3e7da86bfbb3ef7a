import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { MAINTENANCE_LEASE_MS } from '../../core/timing';
import { EngineRig } from '../../engine/testing/engine-rig';
import { systemClock } from '../../platform/clock';
import { createLog } from '../../platform/log';
import { StoreError } from '../../storage/record-store';
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
  parts: Partial<Pick<MaintenanceOptions, 'incidents' | 'clock'>>,
  record: () => Promise<void>,
  write: (line: string) => void = () => undefined,
): Promise<Maintenance> {
  const { engine, faults, process } = await rig.join();
  return new Maintenance({
    backends: [{ id: 'default', store: faults, engine, epochOf: () => 1 }],
    projection: { dueForExpiry: () => [] },
    recorders: [{ ...idle, id: 'default', lagMs: () => 0, record }],
    incidents: idle,
    heat: idle,
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

it('a process that stood still for longer than its lease does no job until it has the lock again', async () => {
  const begun: boolean[] = [];
  let stoodStillMs = 0;
  const maintenance = await start(
    {
      clock: {
        now: () => systemClock.now() + stoodStillMs,
        monotonic: () => systemClock.monotonic() + stoodStillMs,
      },
      incidents: { ...idle, run: async () => void begun.push(maintenance.isRunner) },
    },
    async () => {
      stoodStillMs = MAINTENANCE_LEASE_MS;
    },
  );
  await vi.waitFor(() => expect(begun.length).toBeGreaterThan(0), 10_000);
  expect(begun).not.toContain(false);
  await maintenance.stop();
});
