import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  created,
  freshKey,
  readOne,
  swapOne,
  update,
} from '../../storage/conformance/testing/changes';
import { openZookeeperUnderTest } from '../../storage/conformance/testing/zookeeper-under-test';
import type { RecordStore } from '../../storage/record-store';
import type { EngineContext } from '../engine-context';
import { newWriter } from '../new-writer';
import { pause } from '../testing/engine-rig';
import { FaultyStore, firstFates } from '../testing/faulty-store';
import { swapAllWithRecovery, swapWithRecovery } from './swap-with-recovery';

let under: Awaited<ReturnType<typeof openZookeeperUnderTest>>;
beforeEach(async () => {
  under = await openZookeeperUnderTest({ answerMaxMs: 4_000 });
});
afterEach(() => under?.close());

const contextOver = (store: RecordStore) =>
  ({
    store,
    options: { newWriter },
    monotonic: () => performance.now(),
  }) as unknown as EngineContext;

/** Runs `work`, whose first swap is lost, and `landed` during its second one. */
async function during<T>(
  landed: () => Promise<void>,
  faults: FaultyStore,
  work: (context: EngineContext, dueAt: number) => Promise<T>,
): Promise<T> {
  let landing: Promise<void> | null = null;
  const first = async () => {
    landing = landed();
  };
  faults.onSwap = firstFates(() => true, { kind: 'loseRequest' }, { kind: 'pass', first });
  const outcome = await work(contextOver(faults), performance.now() + 10_000);
  await landing;
  return outcome;
}

it('finds a change that was applied in time after its record had been read', async () => {
  const { store } = under;
  const key = freshKey();
  const seen = await created(store, key);
  const faults = new FaultyStore(await under.another());
  const { now } = await readOne(store, key);
  const change = update(key, seen, { clock: { past: 0, ahead: now + 3_000 } });
  // The read of the record passes, and the proof that it came from the same ZooKeeper does not.
  const release = under.stallProofs();
  const landed = async () => {
    await expect.poll(under.heldPackets).toBeGreaterThan(0);
    await pause(100);
    expect(await swapOne(store, change)).toMatchObject({ applied: true });
    await pause(3_100);
    release();
  };
  const outcomes = await during(landed, faults, (context, dueAt) =>
    swapWithRecovery(context, [change], dueAt),
  );
  expect(outcomes).toMatchObject([{ applied: 'yes', writer: change.writer }]);
});

it('finds changes that were applied between the reads of their records', async () => {
  const { store } = under;
  const keys = [freshKey(), freshKey()] as const;
  const [one, two] = keys;
  const seen = [await created(store, one), await created(store, two)] as const;
  const changes = [update(one, seen[0]), update(two, seen[1])];
  // A new connection remembers no record, and so reads them before it writes.
  const faults = new FaultyStore(await under.another());
  const release = under.stallReads(two);
  const landed = async () => {
    await expect.poll(under.heldPackets).toBeGreaterThan(0);
    const results = await store.swapAll(changes);
    expect(results).toMatchObject([{ applied: true }, { applied: true }]);
    const after = update(two, { rev: 2, writer: changes[1]?.writer ?? '' });
    expect(await swapOne(store, after)).toMatchObject({ applied: true });
    release();
  };
  const outcome = await during(landed, faults, (context, dueAt) =>
    swapAllWithRecovery(context, changes, dueAt),
  );
  expect(outcome).toMatchObject({ applied: 'yes', writers: [changes[0]?.writer, null] });
});
