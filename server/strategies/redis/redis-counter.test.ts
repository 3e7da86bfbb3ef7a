import { afterAll, beforeAll, expect, test } from 'vitest';
import { signal } from '../testing/open-ended';
import { openScratchRedis, type ScratchRedis } from '../testing/scratch-redis';
import { setRedisCounter, takeAtomically, wronglyTake } from './redis-counter';

const PRIZES = 10;

let scratch: ScratchRedis;
beforeAll(() => {
  scratch = openScratchRedis();
});
afterAll(() => scratch?.close());

const won = (taken: (number | null)[]) => taken.filter((left) => left !== null);

test('17: of 10 prizes it hands out 10, to however many callers at once', async () => {
  const key = `${scratch.prefix}prizes`;
  await setRedisCounter(scratch.redis, key, PRIZES);
  const connections = Array.from({ length: 5 }, () => scratch.connect());
  const taken = await Promise.all(
    Array.from({ length: 20 }, () => connections.map((redis) => takeAtomically(redis, key))).flat(),
  );
  expect(won(taken).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(await scratch.redis.get(key)).toBe('0');
});

test('17: takes all of an amount or nothing, and nothing from a missing counter', async () => {
  const key = `${scratch.prefix}amounts`;
  expect(await takeAtomically(scratch.redis, key)).toBe(null);
  await setRedisCounter(scratch.redis, key, 5);
  expect(await takeAtomically(scratch.redis, key, 6)).toBe(null);
  expect(await takeAtomically(scratch.redis, key, 5)).toBe(0);
});

test('17, the wrong way: of 10 prizes it hands out 14, since five read the last one', async () => {
  const { redis, prefix } = scratch;
  const key = `${prefix}too many prizes`;
  await setRedisCounter(redis, key, PRIZES);
  const taken: (number | null)[] = [];
  for (let i = 0; i < PRIZES - 1; i += 1) taken.push(await wronglyTake(redis, key));
  const allHaveRead = signal();
  let readers = 0;
  const think = () => {
    readers += 1;
    if (readers === 5) allHaveRead.give();
    return allHaveRead.given;
  };
  const last = Array.from({ length: 5 }, () => wronglyTake(redis, key, { think }));
  taken.push(...(await Promise.all(last)), await wronglyTake(redis, key));
  expect(won(taken)).toHaveLength(14);
  expect(await redis.get(key)).toBe('0');
});
