import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  created,
  creation,
  freshKey,
  stored,
  swapOne,
  update,
} from '../../storage/conformance/testing/changes';
import {
  type StoreUnderTest,
  storesUnderTest,
} from '../../storage/conformance/testing/stores-under-test';
import type { RecordStore, StoredRecord } from '../../storage/record-store';
import type { EngineContext } from '../engine-context';
import { newWriter } from '../new-writer';
import { FaultyStore, firstFates, PASS } from '../testing/faulty-store';
import { swapWithRecovery } from './swap-with-recovery';

let under: StoreUnderTest;
beforeEach(async () => {
  under = await storesUnderTest.sqlite.open();
});
afterEach(() => under.close());

const contextOver = (store: RecordStore, monotonic = () => performance.now()) =>
  ({ store, options: { newWriter }, monotonic }) as unknown as EngineContext;

const soon = () => performance.now() + 5_000;

it('a change that was found applied stays so while the rest of its packet is unknown', async () => {
  const { store } = under;
  const faults = new FaultyStore(store);
  const first = creation(freshKey());
  const unclear = freshKey();
  const seen = await created(store, unclear);
  // Before this the store can neither apply the other change nor rule it out.
  const { now } = await swapOne(store, creation(freshKey()));
  const early = update(unclear, seen, { clock: { past: now + 60_000, ahead: now + 300_000 } });
  const last = async () => {
    await swapOne(store, update(first.key, await stored(store, first.key)));
    under.passMs(120_000);
  };
  faults.onSwap = firstFates(() => true, { kind: 'loseReply' }, { kind: 'pass', last });
  const outcomes = await swapWithRecovery(contextOver(faults), [first, early], soon());
  expect(outcomes).toMatchObject([{ applied: 'yes', writer: first.writer }, { applied: 'yes' }]);
});

it('a change in doubt at the end of the budget leaves no other change in doubt', async () => {
  const { store } = under;
  const faults = new FaultyStore(store);
  const [first, unclear, lost] = [creation(freshKey()), freshKey(), freshKey()];
  const seen = await created(store, unclear);
  await created(store, lost);
  const { now } = await swapOne(store, creation(freshKey()));
  const changes = [
    first,
    update(unclear, seen, { clock: { past: now + 60_000, ahead: now + 300_000 } }),
    update(lost, { rev: 1, writer: newWriter() }),
  ];
  let passedMs = 0;
  const last = async () => {
    passedMs = 5_000;
  };
  faults.onSwap = firstFates(() => true, { kind: 'loseReply' }, { kind: 'pass', last });
  const outcomes = await swapWithRecovery(
    contextOver(faults, () => passedMs),
    changes,
    5_000,
  );
  expect(outcomes).toMatchObject([
    { applied: 'yes', writer: first.writer },
    { applied: 'inDoubt', failure: { applied: 'unknown' } },
    { applied: 'no' },
  ]);
});

it('only an applied change stays known while the reply to a later attempt is lost', async () => {
  const { store } = under;
  const faults = new FaultyStore(store);
  const [first, unclear, late] = [creation(freshKey()), freshKey(), freshKey()];
  const [seenUnclear, seenLate] = [await created(store, unclear), await created(store, late)];
  const { now } = await swapOne(store, creation(freshKey()));
  const changes = [
    first,
    update(unclear, seenUnclear, { clock: { past: now + 60_000, ahead: now + 300_000 } }),
    update(late, seenLate, { clock: { past: 0, ahead: 1 } }),
  ];
  let passedMs = 0;
  let attempts = 0;
  faults.onSwap = () => {
    attempts += 1;
    if (attempts === 3) passedMs = 5_000;
    return attempts === 2 ? PASS : { kind: 'loseReply' };
  };
  const outcomes = await swapWithRecovery(
    contextOver(faults, () => passedMs),
    changes,
    5_000,
  );
  expect(outcomes.map(({ applied }) => applied)).toEqual(['yes', 'inDoubt', 'inDoubt']);
});

it('an answer stored late by the first attempt itself proves that it was applied', async () => {
  const { store } = under;
  const faults = new FaultyStore(store);
  const key = freshKey();
  const seen = await created(store, key);
  const { now } = await swapOne(store, creation(freshKey()));
  const storedAnswer = { key: newWriter(), inputHash: '', answer: 1, expiresAt: now + 900_000 };
  const change = update(key, seen, {
    clock: { past: now + 60_000, ahead: now + 300_000 },
    storedAnswers: [storedAnswer],
    unanswered: [storedAnswer.key],
  });
  const last = async () => {
    under.passMs(120_000);
    await store.swap([change]);
  };
  faults.onSwap = firstFates(() => true, { kind: 'loseRequest' }, { kind: 'pass', last });
  const outcomes = await swapWithRecovery(contextOver(faults), [change], soon());
  expect(outcomes).toMatchObject([{ applied: 'yes', writer: change.writer }]);
});

it('a late change returns no record, and one that found another record returns that', async () => {
  const { store } = under;
  const [late, lost] = [freshKey(), freshKey()];
  const seen = await created(store, late);
  await created(store, lost);
  const telling: RecordStore = Object.create(store);
  telling.swap = async (changes) => {
    const results = await store.swap(changes);
    const { records } = await store.read(
      changes.map(({ key }) => key),
      [],
    );
    return results.map((each, i) => ({ ...each, found: records[i]?.record as StoredRecord }));
  };
  const changes = [
    update(late, seen, { clock: { past: 0, ahead: 1 } }),
    update(lost, { rev: 1, writer: newWriter() }),
  ];
  const outcomes = await swapWithRecovery(contextOver(telling), changes, soon());
  const now = expect.any(Number);
  const found = await stored(store, lost);
  expect(outcomes).toEqual([
    { applied: 'no', now },
    { applied: 'no', now, found },
  ]);
});
