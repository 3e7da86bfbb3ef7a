import { afterEach, beforeEach, expect, it } from 'vitest';
import { newWriter } from '../../engine/new-writer';
import { created, freshKey, readOne, update } from '../conformance/testing/changes';
import { openZookeeperUnderTest } from '../conformance/testing/zookeeper-under-test';
import type { ZookeeperStore } from './zookeeper-store';

/** The answer is tested, not its speed: a busy ZooKeeper may be slow. */
const PATIENT = { answerMaxMs: 10_000 };

/** The stores of two processes. */
let under: Awaited<ReturnType<typeof openZookeeperUnderTest>>;
let store: ZookeeperStore;
let other: ZookeeperStore;
beforeEach(async () => {
  under = await openZookeeperUnderTest(PATIENT);
  store = under.store;
  other = await under.another();
});
afterEach(() => under?.close());

const LATER = 8e12;
const LAST = 9e12;

const memoOf = (answer: string, expiresAt: number) => ({
  key: newWriter(),
  inputHash: 'hash',
  answer,
  expiresAt,
});

/** The answer as any process can read it. */
const answerTo = async (key: string) => (await other.read([], [key])).memos;

const extended = (key: string) => ({ extensions: [{ keys: [key], expiresAt: LAST }] });

it('an answer that was removed and stored again is extended as it is now', async () => {
  const key = freshKey();
  const { now } = await readOne(store, key);
  const memo = memoOf('first', now);
  const first = await created(store, key, { memos: [memo] });
  await expect
    .poll(async () => {
      await other.deleteExpiredAnswers();
      return answerTo(memo.key);
    })
    .toEqual([]);
  const next = { ...memo, answer: 'second', expiresAt: LATER };
  const second = update(key, first, { memos: [next] });
  expect(await other.swap([second])).toMatchObject([{ applied: true }]);
  expect((await readOne(store, key)).record).toMatchObject({ rev: second.rev });
  expect(await store.swap([update(key, second, extended(memo.key))])).toMatchObject([
    { applied: true },
  ]);
  expect(await answerTo(memo.key)).toEqual([{ ...next, expiresAt: LAST }]);
});

it('an answer that another process stored is extended by one that had found none', async () => {
  const key = freshKey();
  const memo = memoOf('granted', LATER);
  expect((await store.read([key], [memo.key])).memos).toEqual([]);
  const seen = await created(other, key, { memos: [memo] });
  expect((await readOne(store, key)).record).toMatchObject(seen);
  expect(await store.swap([update(key, seen, extended(memo.key))])).toMatchObject([
    { applied: true },
  ]);
  expect(await answerTo(memo.key)).toEqual([{ ...memo, expiresAt: LAST }]);
});
