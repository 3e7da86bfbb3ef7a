import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IdempotencyRecord } from '../../core/decision';
import { newWriter } from '../../engine/new-writer';
import {
  created,
  creation,
  eventOf,
  freshKey,
  readOne,
  stored,
  update,
} from '../conformance/testing/changes';
import { openZookeeperUnderTest } from '../conformance/testing/zookeeper-under-test';
import type { ZookeeperStore } from './zookeeper-store';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const AHEAD_MS = 150;
/** A busy machine may be slow; a reply that is lost is waited for as long. */
const ANSWER_MAX_MS = 4_000;
const SOON = { timeout: 25_000 };

const storedAnswerOf = (answer: unknown): IdempotencyRecord => ({
  key: newWriter(),
  inputHash: 'hash',
  answer,
  expiresAt: 9e12,
});

describe('a write that ZooKeeper dates outside its window', () => {
  let under: Awaited<ReturnType<typeof openZookeeperUnderTest>>;
  let store: ZookeeperStore;
  let other: ZookeeperStore;
  beforeAll(async () => {
    under = await openZookeeperUnderTest({ answerMaxMs: ANSWER_MAX_MS });
    store = under.store;
    other = await under.another();
  });
  afterAll(() => under?.close());

  /** A window that ends soon, and a function that delays everything until it has ended. */
  const soonOver = async () => {
    const { now } = await readOne(store, freshKey());
    return { past: 0, ahead: now + AHEAD_MS };
  };
  const namesInHistory = async (reader = other) =>
    (await reader.historyAfter(0, 10_000)).flatMap(({ changes }) => changes.map((c) => c.key.name));

  it('never takes effect: neither its record, nor its answers, nor its history', async () => {
    const key = freshKey();
    const storedAnswer = storedAnswerOf('first');
    const seen = await created(store, key, {
      head: 'before',
      queue: 'q',
      storedAnswers: [storedAnswer],
    });
    const fresh = storedAnswerOf('fresh');
    const release = await under.stallRow(key);
    const late = update(key, seen, {
      clock: await soonOver(),
      head: 'late',
      queue: 'late',
      events: [eventOf(2)],
      storedAnswers: [{ ...storedAnswer, answer: 'late' }, fresh],
    });
    const swapped = store.swap([late]);
    await pause(AHEAD_MS + 100);
    await release();
    expect(await swapped).toMatchObject([{ applied: false, current: seen }]);
    for (const reader of [store, other]) {
      expect(await stored(reader, key)).toEqual({ ...seen, head: 'before', queue: 'q' });
      expect((await reader.read([], [storedAnswer.key, fresh.key])).storedAnswers).toEqual([
        storedAnswer,
      ]);
      expect(await namesInHistory(reader)).not.toContain(key.name);
    }
  });

  it('never takes effect even if its reply was lost or its process died before it', async () => {
    const key = freshKey();
    const seen = await created(store, key, { head: 'before' });
    const release = await under.stallRow(key);
    const late = update(key, seen, { clock: await soonOver(), head: 'late', events: [eventOf(2)] });
    const swapped = store.swap([late]);
    swapped.catch(() => undefined);
    await expect.poll(under.heldPackets).toBeGreaterThan(0);
    await pause(AHEAD_MS + 100);
    under.loseReplies();
    await release();
    await expect(swapped).rejects.toMatchObject({ name: 'StoreError', applied: 'unknown' });
    under.cut();
    await expect
      .poll(() => stored(other, key).catch(() => null), SOON)
      .toEqual({
        ...seen,
        head: 'before',
        queue: '',
      });
    expect(await namesInHistory()).not.toContain(key.name);
    const after = update(key, seen, { head: 'after' });
    expect(await other.swap([after])).toMatchObject([{ applied: true }]);
    expect((await stored(store, key)).head).toBe('after');
  });

  it('invalidates everything that belongs together, even parts that had more time', async () => {
    const [first, second, third] = [freshKey(), freshKey(), freshKey()];
    const seen = [await created(store, first), await created(store, second)] as const;
    const release = await under.stallRow(first);
    const swapped = store.swapAll([
      update(first, seen[0], { clock: await soonOver(), events: [eventOf(2)] }),
      update(second, seen[1], { events: [eventOf(2)] }),
      creation(third, { events: [eventOf(1)] }),
    ]);
    await pause(AHEAD_MS + 100);
    await release();
    expect((await swapped).map(({ applied }) => applied)).toEqual([false, false, false]);
    const { records } = await other.read([first, second, third], []);
    expect(records.map(({ record }) => record?.rev ?? null)).toEqual([1, 1, null]);
    const names = await namesInHistory();
    for (const { name } of [first, second, third]) expect(names).not.toContain(name);
    expect(await other.swap([creation(third)])).toMatchObject([{ applied: true }]);
  });

  it('does not affect the others of its packet', async () => {
    const [late, company] = [freshKey(), freshKey()];
    const seen = [await created(store, late), await created(store, company)] as const;
    const release = await under.stallRow(late);
    const swapped = store.swap([
      update(late, seen[0], { clock: await soonOver(), events: [eventOf(2)] }),
      update(company, seen[1], { events: [eventOf(2)] }),
    ]);
    await pause(AHEAD_MS + 100);
    await release();
    expect((await swapped).map(({ applied }) => applied)).toEqual([false, true]);
    const names = await namesInHistory();
    expect(names).toContain(company.name);
    expect(names).not.toContain(late.name);
  });
});
