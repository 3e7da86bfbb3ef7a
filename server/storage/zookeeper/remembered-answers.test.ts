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

const storedAnswerOf = (answer: string, expiresAt: number) => ({
  key: newWriter(),
  inputHash: 'hash',
  answer,
  expiresAt,
});

/** The answer as any process can read it. */
const answerTo = async (key: string) => (await other.read([], [key])).storedAnswers;

const extended = (key: string) => ({ extensions: [{ keys: [key], expiresAt: LAST }] });

it('an answer that was removed and stored again is extended as it is now', async () => {
  const key = freshKey();
  const { now } = await readOne(store, key);
  const storedAnswer = storedAnswerOf('first', now);
  const first = await created(store, key, { storedAnswers: [storedAnswer] });
  await expect
    .poll(async () => {
      await other.deleteExpiredAnswers();
      return answerTo(storedAnswer.key);
    })
    .toEqual([]);
  const next = { ...storedAnswer, answer: 'second', expiresAt: LATER };
  const second = update(key, first, { storedAnswers: [next] });
  expect(await other.swap([second])).toMatchObject([{ applied: true }]);
  expect((await readOne(store, key)).record).toMatchObject({ rev: second.rev });
  expect(await store.swap([update(key, second, extended(storedAnswer.key))])).toMatchObject([
    { applied: true },
  ]);
  expect(await answerTo(storedAnswer.key)).toEqual([{ ...next, expiresAt: LAST }]);
});

it('an answer that another process stored is extended by one that had found none', async () => {
  const key = freshKey();
  const storedAnswer = storedAnswerOf('granted', LATER);
  expect((await store.read([key], [storedAnswer.key])).storedAnswers).toEqual([]);
  const seen = await created(other, key, { storedAnswers: [storedAnswer] });
  expect((await readOne(store, key)).record).toMatchObject(seen);
  expect(await store.swap([update(key, seen, extended(storedAnswer.key))])).toMatchObject([
    { applied: true },
  ]);
  expect(await answerTo(storedAnswer.key)).toEqual([{ ...storedAnswer, expiresAt: LAST }]);
});
