import { describe, expect, it } from 'vitest';
import type { Change, ReadRecord } from '../backends/record-store';
import { type Store, storeNames } from '../backends/testing/stores-under-test';
import { newSeed } from './testing/random-campaign';
import { playSideBySide } from './testing/side-by-side';

/** `MODEL_SEED=… npm test -- model-campaign` plays the same steps again. */
const SEED = process.env.MODEL_SEED ? Number(process.env.MODEL_SEED) : newSeed();
const STEPS = process.env.TEST_LONG ? 20_000 : 250;

describe.each(storeNames)('an engine over %s and the pure model of locks and counters', (store) => {
  it(`tell, keep and write down the same in each of ${STEPS} random steps`, async () => {
    console.info(`seed ${SEED}`);
    const { disagreement, told, open, steps } = await playSideBySide({
      store,
      seed: SEED,
      steps: STEPS,
    });
    console.info(`${open} of ${steps} steps left open; ${told.size} kinds of answers`);
    expect(disagreement, `seed ${SEED}`).toBe(null);
    expect(open).toBeLessThan(STEPS / 4);
    expect(told.size).toBeGreaterThan(25);
  }, 3_600_000);
});

describe('the model finds out', () => {
  const changing = (spoilt: (change: Change) => Change) => (store: Store) => {
    const other: Store = Object.create(store);
    other.swap = (changes) => store.swap(changes.map(spoilt));
    other.swapAll = (changes) => store.swapAll(changes.map(spoilt));
    return other;
  };
  const broken: [string, (store: Store) => Store][] = [
    ['a store that loses answers', changing((change) => ({ ...change, memos: [] }))],
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

  it.each(broken)(
    '%s',
    async (_, spoil) => {
      const seed = newSeed();
      const play = { store: 'sqlite', seed, steps: 6_000, spoil } as const;
      const { disagreement } = await playSideBySide(play);
      expect(disagreement, `seed ${seed}`).not.toBe(null);
    },
    120_000,
  );
});

/** Every third read of a record tells what the one before it told. */
function outdated(store: Store): Store {
  const spoilt: Store = Object.create(store);
  const seen = new Map<string, ReadRecord['record']>();
  let reads = 0;
  spoilt.read = async (keys, requestKeys) => {
    const { records, memos } = await store.read(keys, requestKeys);
    reads += 1;
    return {
      memos,
      records: records.map((read) => {
        const before = seen.get(read.key.name);
        seen.set(read.key.name, read.record);
        return reads % 3 === 0 && before ? { ...read, record: before } : read;
      }),
    };
  };
  return spoilt;
}
