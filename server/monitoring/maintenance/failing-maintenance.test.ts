import { afterAll, beforeAll, expect, it } from 'vitest';
import { EngineRig } from '../../engine/testing/engine-rig';
import { systemClock } from '../../platform/clock';
import { createLog } from '../../platform/log';
import { StoreError } from '../../storage/record-store';
import { Maintenance } from './maintenance';

const TURNS = 8;

let rig: EngineRig;

beforeAll(async () => {
  rig = await EngineRig.open('sqlite');
});
afterAll(() => rig.close());

it('a job that goes on failing is logged once, with the reason, and again when it fails after a success', async () => {
  const lines: string[] = [];
  const { engine, faults, process } = await rig.join();
  let isAway = true;
  let opened = 0;
  const opener = {
    async record() {
      opened += 1;
      if (isAway) throw new StoreError('The store is away.', 'no');
    },
    prune: async () => undefined,
    restart: () => undefined,
  };
  const chores = new Maintenance({
    backends: [{ id: 'default', store: faults, engine, epochOf: () => 1 }],
    projection: { dueForExpiry: () => [] },
    recorders: [opener],
    clock: systemClock,
    log: createLog({ write: (line) => void lines.push(line) }),
    processId: process,
    resolveIntents: async () => undefined,
    freeCapacity: async () => undefined,
    setLegacyNameLimits: async () => undefined,
  });
  const turns = async (times: number) => {
    for (const until = opened + times; opened < until; ) {
      await chores.run();
      await new Promise(setImmediate);
    }
  };
  const told = () => lines.map((line) => JSON.parse(line));

  await turns(TURNS);
  expect(told()).toMatchObject([
    { chore: 'open 0', err: { type: 'StoreError', message: 'The store is away.' } },
  ]);
  isAway = false;
  await turns(TURNS);
  isAway = true;
  await turns(TURNS);
  expect(told()).toHaveLength(2);
  await chores.stop();
});
