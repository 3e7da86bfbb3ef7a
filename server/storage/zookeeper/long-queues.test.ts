import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newWriter } from '../../engine/new-writer';
import {
  created,
  freshKey,
  readOne,
  stored,
  swapOne,
  update,
} from '../conformance/testing/changes';
import { openZookeeperUnderTest } from '../conformance/testing/zookeeper-under-test';
import type { ZookeeperStore } from './zookeeper-store';

const LONG = 'waiter,'.repeat(10_000);
const OTHER = 'other,'.repeat(10_000);
const AHEAD_MS = 150;
/** The answer is tested, not its speed: a busy ZooKeeper may be slow. */
const PATIENT = { answerMaxMs: 10_000 };

describe('a long queue in a ZooKeeper', () => {
  let under: Awaited<ReturnType<typeof openZookeeperUnderTest>>;
  let store: ZookeeperStore;
  let other: ZookeeperStore;
  beforeAll(async () => {
    under = await openZookeeperUnderTest(PATIENT);
    store = under.store;
    other = await under.another();
  });
  afterAll(() => under?.close());

  it('is not rewritten with every change of its record', async () => {
    const key = freshKey();
    let seen = await created(store, key, { queue: LONG });
    for (const writer of [store, other, store]) {
      const change = update(key, seen, {
        head: `rev ${seen.rev}`,
        clock: { past: 1, ahead: 9e12 },
      });
      expect((await swapOne(writer, change)).applied).toBe(true);
      seen = change;
      for (const reader of [store, other]) {
        const { head, queue } = await stored(reader, key);
        expect([head, queue === LONG]).toEqual([change.head, true]);
      }
      const { bytes, queues } = await under.znodeOf(key);
      expect(bytes).toBeLessThan(500);
      expect(queues).toHaveLength(1);
    }
  });

  it('leaves nothing behind when it is replaced or emptied, or its record is deleted', async () => {
    const key = freshKey();
    let seen = await created(store, key, { queue: LONG });
    for (const queue of [OTHER, '', null, LONG, null, 'short', OTHER, null]) {
      const change = update(key, seen, { queue, clock: { past: 1, ahead: 9e12 } });
      expect((await swapOne(store, change)).applied).toBe(true);
      seen = change;
      const { queues } = await under.znodeOf(key);
      expect(queues.length).toBeLessThanOrEqual(2);
    }
    expect((await stored(other, key)).queue === OTHER).toBe(true);
    expect((await under.znodeOf(key)).queues).toHaveLength(1);
    expect(await other.deleteRecords([{ key, ...seen }])).toEqual([true]);
    expect((await readOne(store, key)).record).toBe(null);
    expect(await under.znodeOf(key)).toMatchObject({ bytes: 0, queues: [] });
  });

  it('is never read with a record that is newer than the answers about it', async () => {
    const key = freshKey();
    const storedAnswer = {
      key: newWriter(),
      inputHash: 'hash',
      answer: 'granted',
      expiresAt: 9e12,
    };
    const seen = await created(store, key, { queue: LONG });
    const release = under.stallQueueReads(key);
    const reader = await under.another();
    const read = reader.read([key], [storedAnswer.key]);
    await expect.poll(under.heldPackets).toBeGreaterThan(0);
    const granted = update(key, seen, { queue: OTHER, storedAnswers: [storedAnswer] });
    expect((await swapOne(store, granted)).applied).toBe(true);
    release();
    const { records, storedAnswers } = await read;
    expect(records[0]?.record?.rev).toBe(granted.rev);
    expect(storedAnswers).toEqual([storedAnswer]);
  });

  it('that was written too late never takes effect: the earlier one remains valid', async () => {
    const key = freshKey();
    const seen = await created(store, key, { queue: LONG });
    const release = await under.stallRow(key);
    const { now } = await readOne(other, freshKey());
    const clock = { past: 0, ahead: now + AHEAD_MS };
    const swapped = store.swap([update(key, seen, { queue: OTHER, clock })]);
    await expect
      .poll(async () => (await readOne(other, freshKey())).now, { timeout: 9_000 })
      .toBeGreaterThan(clock.ahead);
    await release();
    expect(await swapped).toMatchObject([{ applied: false, current: seen }]);
    for (const reader of [store, other]) {
      const { queue, ...standing } = await stored(reader, key);
      expect([standing, queue === LONG]).toEqual([{ ...seen, head: 'head' }, true]);
    }
    const next = update(key, seen, { head: 'next' });
    expect((await swapOne(other, next)).applied).toBe(true);
    expect((await stored(store, key)).queue === LONG).toBe(true);
    expect((await under.znodeOf(key)).queues).toHaveLength(1);
  });

  it('that was removed by hand is gone, and its lock continues without it', async () => {
    const key = freshKey();
    await created(store, key, { queue: LONG });
    const { path, queues } = await under.znodeOf(key);
    await under.remove(`${path}/${queues[0]}`);
    expect((await stored(other, key)).queue).toBe('');
    for (const writer of [other, store]) {
      const { rev, writer: last } = await stored(other, key);
      const change = update(key, { rev, writer: last }, { queue: OTHER });
      expect((await swapOne(writer, change)).applied).toBe(true);
      expect((await stored(other, key)).queue === OTHER).toBe(true);
    }
  });
});
