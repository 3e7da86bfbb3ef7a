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
import type { EngineContext } from '../engine-context';
import { newWriter } from '../new-writer';
import { FaultyStore, firstFates } from '../testing/faulty-store';
import { swapWithRecovery } from './swap-with-recovery';

let under: StoreUnderTest;
beforeEach(async () => {
  under = await storesUnderTest.sqlite.open();
});
afterEach(() => under.close());

it('a change that was found applied stays so while the rest of its packet is unclear', async () => {
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
  const context = {
    store: faults,
    options: { newWriter },
    monotonic: () => performance.now(),
  } as unknown as EngineContext;
  const dueAt = performance.now() + 5_000;
  const outcomes = await swapWithRecovery(context, [first, early], dueAt);
  expect(outcomes).toMatchObject([{ applied: 'yes', writer: first.writer }, { applied: 'yes' }]);
});
