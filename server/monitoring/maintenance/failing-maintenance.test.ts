import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { EngineRig } from '../../engine/testing/engine-rig';
import { systemClock } from '../../platform/clock';
import { createLog } from '../../platform/log';
import { StoreError } from '../../storage/record-store';
import { Maintenance } from './maintenance';

let rig: EngineRig;

beforeAll(async () => {
  rig = await EngineRig.open('sqlite');
});
afterAll(() => rig.close());

it('a maintenance job that goes on failing is logged once, under its name, with the reason', async () => {
  const lines: string[] = [];
  const { engine, faults, process } = await rig.join();
  let attempts = 0;
  const idle = {
    run: async () => undefined,
    prune: async () => undefined,
    restart: () => undefined,
  };
  const recorder = {
    id: 'default',
    lagMs: () => 0,
    async record() {
      attempts += 1;
      throw new StoreError('The store is away.', 'no');
    },
    prune: async () => undefined,
    restart: () => undefined,
  };
  const maintenance = new Maintenance({
    backends: [{ id: 'default', store: faults, engine, epochOf: () => 1 }],
    projection: { dueForExpiry: () => [] },
    recorders: [recorder],
    incidents: idle,
    heat: idle,
    alerts: { jobs: () => [], restart: () => undefined, abort: () => undefined },
    capacity: { run: async () => undefined, setLegacyLimits: async () => undefined },
    clock: systemClock,
    log: createLog({ write: (line) => void lines.push(line) }),
    processId: process,
    resolveIntents: async () => undefined,
    pruneAudit: async () => undefined,
    holders: { askUrls: async () => undefined, prune: async () => undefined },
  }).start();
  await vi.waitFor(() => expect(attempts).toBeGreaterThan(2), 10_000);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      job: 'record history of default',
      err: { type: 'StoreError', message: 'The store is away.' },
    },
  ]);
  await maintenance.stop();
});
