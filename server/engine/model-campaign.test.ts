import { describe, expect, it } from 'vitest';
import { type Store, storeNames } from '../storage/conformance/testing/stores-under-test';
import type { Change, ReadRecord } from '../storage/record-store';
import type { LockEngine } from './lock-engine';
import { compareWithModel } from './testing/compare-with-model';
import { SHORT_LEASE_MS } from './testing/model-step';
import { type ModelledBackend, modelledStore } from './testing/modelled-backend';
import { newSeed } from './testing/seeded';
import { ShardedRig } from './testing/sharded-rig';

/** `MODEL_SEED=… npm test -- model-campaign` plays the same steps again. */
const SEED = process.env.MODEL_SEED ? Number(process.env.MODEL_SEED) : newSeed();
const STEPS = process.env.TEST_LONG === '1' ? 5_000 : 80;

/** What is played on. */
type Row = [name: string, open: () => Promise<ModelledBackend>];

const rows: Row[] = [
  ...storeNames.map((name): Row => [name, () => modelledStore(name)]),
  ['two shards of mysql', () => ShardedRig.open()],
];

describe.each(rows)('the engine over %s and the pure model of locks and counters', (_, open) => {
  it(`answer, store and record the same in each of ${STEPS} random steps`, async () => {
    console.info(`seed ${SEED}`);
    const { disagreement, answers, ...played } = await compareWithModel({
      open,
      seed: SEED,
      steps: STEPS,
    });
    const { open: left, steps: taken } = played;
    console.info(`${left} of ${taken} steps left open; ${answers.size} kinds of answers`);
    expect(disagreement, `seed ${SEED}`).toBe(null);
    expect(left).toBeLessThan(taken / 4);
    expect(answers.size).toBeGreaterThan(Math.min(25, STEPS / 10));
  }, 3_600_000);
});

describe('the model allows', () => {
  it('leases to end between a step and the reading of its outcome', async () => {
    // With this seed, step 28 grants a short lease to a caller that would have waited.
    const seed = 2_062_022_401;
    const { disagreement } = await compareWithModel({ open: slowChecks, seed, steps: 40 });
    expect(disagreement).toBe(null);
  });
});

describe('the model detects', () => {
  const changing = (spoilt: (change: Change) => Change) => (store: Store) => {
    const other: Store = Object.create(store);
    other.swap = (changes) => store.swap(changes.map(spoilt));
    other.swapAll = (changes) => store.swapAll(changes.map(spoilt));
    return other;
  };
  const broken: [string, (store: Store) => Store][] = [
    ['a store that loses answers', changing((change) => ({ ...change, storedAnswers: [] }))],
    [
      'a store that keeps no answer for longer than at first',
      changing((change) => ({ ...change, extensions: [] })),
    ],
    [
      'a store that empties the queue where it should leave it alone',
      changing((change) => ({ ...change, queue: change.queue ?? '' })),
    ],
    [
      'a store that leaves the end of a history out',
      changing((change) => ({ ...change, events: change.events.slice(0, 1) })),
    ],
    ['a store that tells of a record as it was before', outdated],
  ];

  it.each(broken)('%s', async (_, spoil) => {
    const seed = newSeed();
    const open = () => modelledStore('sqlite', spoil);
    const { disagreement } = await compareWithModel({ open, seed, steps: 6_000 });
    expect(disagreement, `seed ${seed}`).not.toBe(null);
  });

  it('shards of which one handles multi-locks for all', async () => {
    const seed = newSeed();
    const { disagreement } = await compareWithModel({ open: carelessShards, seed, steps: 6_000 });
    expect(disagreement, `seed ${seed}`).toMatch(/acquireSet|cancelSet/);
  });
});

/** Processes that do not check on which shard the locks of a set are kept. */
async function carelessShards(): Promise<ModelledBackend> {
  const rig = await ShardedRig.over('sqlite');
  const careless: ModelledBackend = Object.create(rig);
  careless.join = async () => {
    const { engine, shards, ...member } = await rig.join();
    const multiLocks = shards[0]?.multiLocks ?? engine.multiLocks;
    return { ...member, engine: Object.assign(engine, { multiLocks }) };
  };
  return careless;
}

/** A short lease ends before any check of its lock. */
async function slowChecks(): Promise<ModelledBackend> {
  const backend = await modelledStore('sqlite');
  const slow: ModelledBackend = Object.create(backend);
  slow.join = async () => {
    const member = await backend.join();
    const engine: LockEngine = Object.create(member.engine);
    engine.run = (key, command) => {
      if (command.verb === 'inspect') backend.passMs(SHORT_LEASE_MS + 50);
      return member.engine.run(key, command);
    };
    return { ...member, engine };
  };
  return slow;
}

/** Every third read of a record answers what the one before it answered. */
function outdated(store: Store): Store {
  const spoilt: Store = Object.create(store);
  const seen = new Map<string, ReadRecord['record']>();
  let reads = 0;
  spoilt.read = async (keys, requestKeys) => {
    const { records, storedAnswers } = await store.read(keys, requestKeys);
    reads += 1;
    return {
      storedAnswers,
      records: records.map((read) => {
        const before = seen.get(read.key.name);
        seen.set(read.key.name, read.record);
        return reads % 3 === 0 && before ? { ...read, record: before } : read;
      }),
    };
  };
  return spoilt;
}
