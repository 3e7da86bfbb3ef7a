import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newSeed, seeded } from '../../engine/testing/seeded';
import { storedAnswerOf } from '../conformance/contract/contract-suite';
import {
  type ChangeOverrides,
  created,
  creation,
  eventOf,
  freshKey,
  readOne,
  update,
} from '../conformance/testing/changes';
import { MovingSlot } from '../conformance/testing/moving-slot';
import { RedisRig } from '../conformance/testing/redis-rig';
import { StoreIncarnation } from '../incarnation/store-incarnation';
import { recordId } from '../record-id';
import type { Change, RecordKey } from '../record-store';
import { END_RECOVERY, KEYS, PREFIX, START_INCARNATION } from './redis-script';
import { RedisStore } from './redis-store';

const SOON = { timeout: 25_000, interval: 20 };
const PATIENT_MS = 10_000;
const QUEUE = '[["a waiter"]]';
/** Long enough for no heartbeat between two readings of the stored content. */
const NEVER_MS = 3_600_000;
const ROUNDS = process.env.TEST_LONG === '1' ? 120 : 50;

const IS_MOVING = {
  name: 'StoreError',
  applied: 'no',
  refusal: expect.stringContaining('is being moved to another node'),
};

/** A record, the version that a change of it expects, and the answer stored with it. */
interface Known {
  key: RecordKey;
  seen: { rev: number; writer: string };
  storedAnswer: ReturnType<typeof storedAnswerOf>;
}

async function known(store: RedisStore, queue = ''): Promise<Known> {
  const key = freshKey();
  const storedAnswer = storedAnswerOf('kept');
  const events = [eventOf(1)];
  return {
    key,
    storedAnswer,
    seen: await created(store, key, { storedAnswers: [storedAnswer], queue, events }),
  };
}

const keysOf = ({ key, storedAnswer }: Known) => ({
  record: PREFIX.record + recordId(key),
  queue: PREFIX.queue + recordId(key),
  answer: PREFIX.answer + storedAnswer.key,
});

type Part = keyof ReturnType<typeof keysOf>;

const keptFor = ({ key, expiresAt }: Known['storedAnswer']): ChangeOverrides => ({
  extensions: [{ keys: [key], expiresAt: expiresAt + 1_000 }],
});

describe('while the slot of a cluster moves to another node', () => {
  let rig: RedisRig;
  let slot: MovingSlot;
  let store: RedisStore;
  let plain: Known[];
  let queued: Known[];

  beforeAll(async () => {
    rig = await RedisRig.start({ cluster: true });
    const incarnation = await StoreIncarnation.open(rig.database, 'default', Date.now());
    const manner = { heartbeatMs: NEVER_MS, callMaxMs: PATIENT_MS };
    store = new RedisStore(rig.server.url, incarnation, manner);
    await vi.waitFor(() => created(store, freshKey()), SOON);
    const some = Array.from({ length: ROUNDS + 20 });
    plain = await Promise.all(some.map(() => known(store)));
    queued = await Promise.all([...some, ...some].map(() => known(store, QUEUE)));
    slot = await MovingSlot.begin(rig.server);
  }, 60_000);
  afterAll(async () => {
    await store?.close();
    await slot?.stop();
    await rig?.close();
  });

  const nextOf = (records: Known[]) => {
    const next = records.pop();
    if (!next) throw new Error('There are no more records.');
    return next;
  };

  /** Expects a call to be refused and to change nothing on either node. */
  const changesNothing = async (call: () => Promise<unknown>) => {
    const before = await slot.contents();
    const error = await call().catch((failure: unknown) => failure);
    expect(await slot.contents()).toEqual(before);
    expect(error).toMatchObject(IS_MOVING);
  };

  const changesNothingBy = async (change: Change) => {
    await changesNothing(() => store.swap([change]));
    await changesNothing(() => store.swapAll([change]));
  };

  const cases: [string, 'plain' | 'queued', (known: Known) => ChangeOverrides, Part?][] = [
    ['an answer is new', 'plain', () => ({ storedAnswers: [storedAnswerOf('new')] })],
    ['a queue is new', 'plain', () => ({ queue: QUEUE })],
    ['a queue that is removed was moved', 'queued', () => ({ queue: '' }), 'queue'],
    [
      'an answer that is kept was moved',
      'plain',
      ({ storedAnswer }) => keptFor(storedAnswer),
      'answer',
    ],
    ['its record was moved', 'plain', () => ({}), 'record'],
  ];
  it.each(cases)('a swap changes nothing where %s', async (_, kind, changed, moved) => {
    const one = nextOf(kind === 'plain' ? plain : queued);
    if (moved) await slot.move(keysOf(one)[moved]);
    await changesNothingBy(update(one.key, one.seen, changed(one)));
  });

  it('a deletion deletes all of its records or none', async () => {
    const obsolete = [nextOf(queued), nextOf(plain)].map(({ key, seen }) => ({ key, ...seen }));
    await changesNothing(() => store.deleteRecords(obsolete));
  });

  it('every swap is whole or not there', async () => {
    const seed = newSeed();
    console.info(`seed ${seed}`);
    const random = seeded(seed);
    const isIn = (hundred: number) => random() * 100 < hundred;
    const randomChange = ({ key, seen, storedAnswer }: Known): Change =>
      update(key, seen, {
        queue: isIn(50) ? null : isIn(50) ? '' : QUEUE,
        events: isIn(50) ? [eventOf(seen.rev + 1)] : [],
        storedAnswers: isIn(10)
          ? [storedAnswerOf('new')]
          : isIn(40)
            ? [{ ...storedAnswer, answer: 'newer' }]
            : [],
        ...(isIn(40) ? keptFor(storedAnswer) : {}),
      });

    let applied = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const records = [nextOf(queued), nextOf(queued), nextOf(plain)];
      const keys = records.map(keysOf).flatMap(Object.values<string>);
      await slot.move(...keys.filter(() => isIn(8)));
      const changes = records.filter(() => isIn(70)).map(randomChange);
      if (changes.length === 0) changes.push(creation(freshKey()));
      const before = await slot.contents();
      const swapped = isIn(50) ? store.swap(changes) : store.swapAll(changes);
      const results = await swapped.catch((error: unknown) => {
        expect(error).toMatchObject(IS_MOVING);
        return null;
      });
      if (results === null) expect(await slot.contents()).toEqual(before);
      else expect(results.every((result) => result.applied)).toBe(true);
      if (results !== null) applied += 1;
    }
    expect(applied).toBeGreaterThan(0);
  }, 120_000);

  it('what is not there is not read as never written', async () => {
    const one = nextOf(plain);
    await slot.move(keysOf(one).record);
    await expect(readOne(store, one.key)).rejects.toMatchObject(IS_MOVING);
    await expect(readOne(store, freshKey())).rejects.toMatchObject(IS_MOVING);
  });

  it.each([
    ['history', KEYS.history],
    ['list of records', KEYS.ids],
    ['marker', KEYS.marker],
  ])('a swap changes nothing once the %s was moved', async (_, key) => {
    await slot.move(key);
    const one = nextOf(queued);
    await changesNothingBy(update(one.key, one.seen, { events: [eventOf(2)] }));
    if (key !== KEYS.history)
      await expect(readOne(store, one.key)).rejects.toMatchObject(IS_MOVING);
  });
});

it('a recovery that begins while the slot moves ends once all records are there', async () => {
  const rig = await RedisRig.start({ cluster: true });
  let slot: MovingSlot | undefined;
  try {
    const { store } = await rig.join();
    await vi.waitFor(() => created(store, freshKey()), SOON);
    slot = await MovingSlot.begin(rig.server);
    await rig.asAdmin((admin) => START_INCARNATION.run(admin, ['next~', 'next', 7, 70]));
    const marker = await rig.asAdmin((admin) => admin.hgetall(KEYS.marker));
    expect(marker).toMatchObject({ life: 'next~', epoch: '7', history: '70', count: '0' });
    const end = () => rig.asAdmin((admin) => END_RECOVERY.run(admin, ['next~', 'next']));
    await expect(end()).rejects.toThrow('non local key');
    expect(await rig.asAdmin((admin) => admin.hget(KEYS.marker, 'life'))).toBe('next~');
  } finally {
    await slot?.stop();
    await rig.close();
  }
}, 60_000);
