import { afterEach, describe, expect, it } from 'vitest';
import { PATIENT_MS, patientStores } from '../storage/conformance/contract/contract-stores';
import { freshKey } from '../storage/conformance/testing/changes';
import {
  openMysqlUnderTest,
  type Store,
  storeNames,
} from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import { counterEventsByName, createCommand } from './testing/counter-calls';
import { counterFaults, lockFaults } from './testing/effects-of-calls';
import { EngineRig } from './testing/engine-rig';
import { eventsByLock } from './testing/events-by-lock';
import { runRepeatedCalls } from './testing/repeated-calls';
import { newSeed } from './testing/seeded';

const STEPS = process.env.TEST_LONG === '1' ? 5_000 : 100;
/** Enough to find a store that does not test. */
const FEW_STEPS = 100;
const SHAPE = { processes: 3, callers: 16, faults: 0.03 };

let rig: EngineRig;
afterEach(() => rig?.close());

/** Answers what it found, and how many calls were sent more than once. */
async function campaign(seed: number, steps: number): Promise<{ faults: string[]; again: number }> {
  const locks = Array.from({ length: 8 }, () => freshKey());
  const counters = Array.from({ length: 4 }, (): RecordKey => ({ ...freshKey(), kind: 'counter' }));
  const { engine } = await rig.join();
  for (const counter of counters) await engine.count(counter, createCommand());
  const calls = await runRepeatedCalls({ rig, seed, steps, locks, counters, ...SHAPE });
  const onLocks = await eventsByLock(rig.under.store, locks);
  const onCounters = await counterEventsByName(rig.under.store);
  const of = (record: RecordKey) => calls.filter(({ key }) => key === record);
  const faults = [
    ...locks.flatMap((lock) => lockFaults(of(lock), onLocks.get(lock.name) ?? [])),
    ...counters.flatMap((one) => counterFaults(of(one), onCounters.get(one.name) ?? [])),
  ];
  for (const lock of locks) {
    const { holders, waiters } = await engine.run(lock, { verb: 'inspect' });
    if (holders.length + waiters.length > 0)
      faults.push(`${lock.name} is still held or waited for`);
  }
  return { faults, again: calls.filter(({ answers }) => answers.length > 1).length };
}

const places = [
  ...storeNames.map((name) => ({ name, open: patientStores[name].open })),
  {
    name: 'mysql without RETURNING',
    open: () => openMysqlUnderTest({ callMaxMs: PATIENT_MS, usesReturning: false }),
  },
];

describe.each(places)('calls with request ids over $name', ({ open }) => {
  it('have one effect and one answer, however often they are sent, to any process', async () => {
    const seed = newSeed();
    console.info(`seed ${seed}`);
    rig = new EngineRig(await open());
    const { faults, again } = await campaign(seed, STEPS);
    expect(faults, `seed ${seed}`).toEqual([]);
    expect(again, `seed ${seed}`).toBeGreaterThan(STEPS / 2);
  }, 600_000);
});

it('a store that does not check which requests have an answer is detected', async () => {
  rig = await EngineRig.open('sqlite');
  const honest = rig.under.another.bind(rig.under);
  rig.under.another = async () => trusting(await honest());
  // Its engines may notice, and refuse.
  const found = await campaign(newSeed(), FEW_STEPS).catch((error) => ({ faults: [error] }));
  expect(found.faults).not.toEqual([]);
});

/** Applies a change whatever answers are stored. */
function trusting(store: Store): Store {
  const spoilt: Store = Object.create(store);
  spoilt.swap = (changes) => store.swap(changes.map(({ unanswered: _, ...change }) => change));
  return spoilt;
}
