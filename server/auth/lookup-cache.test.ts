import { expect, test } from 'vitest';
import { TestClock } from '../platform/testing/test-clock';
import { LookupCache } from './lookup-cache';

/** A table that changes, fails, and answers when the test lets it. */
function setUp() {
  const clock = new TestClock();
  const table = new Map([['a', 1]]);
  const state = { questions: 0, isAway: false, gate: Promise.resolve() };
  const answers = new LookupCache<number>(async (key) => {
    state.questions++;
    const value = table.get(key) ?? null;
    await state.gate;
    if (state.isAway) throw new Error('away');
    return value;
  }, clock);
  return { clock, table, state, answers };
}

const settle = () => new Promise(setImmediate);

test('a change is seen within a second, and sooner by busy callers, which never wait', async () => {
  const { clock, table, state, answers } = setUp();
  expect(await answers.get('a')).toBe(1);
  table.set('a', 2);
  clock.pass(499);
  expect(await answers.get('a')).toBe(1);
  expect(state.questions).toBe(1);
  clock.pass(501);
  expect(await answers.get('a')).toBe(2);

  table.set('a', 3);
  clock.pass(600);
  expect(await answers.get('a')).toBe(2);
  await settle();
  expect(await answers.get('a')).toBe(3);
});

test('misses are queried again each time, and an entry that vanished is forgotten', async () => {
  const { clock, table, answers } = setUp();
  expect(await answers.get('b')).toBeNull();
  table.set('b', 5);
  expect(await answers.get('b')).toBe(5);
  table.delete('b');
  clock.pass(1_000);
  expect(await answers.get('b')).toBeNull();
  expect(answers.lastKnown('b', Number.POSITIVE_INFINITY)).toBeNull();
});

test('an answer that was under way when something was forgotten is not kept', async () => {
  const { table, state, answers } = setUp();
  let open: () => void = () => undefined;
  state.gate = new Promise((resolve) => {
    open = resolve;
  });
  const early = answers.get('a');
  table.set('a', 2);
  answers.forget(() => true);
  const late = answers.get('a');
  open();
  expect(await early).toBe(1);
  expect(await late).toBe(2);
  expect(await answers.get('a')).toBe(2);
});

test('while queries fail, cached values are returned at once, for as long as allowed', async () => {
  const { clock, state, answers } = setUp();
  await answers.get('a');
  expect(answers.whileFailing('a', 60_000)).toBeNull();
  state.isAway = true;
  clock.pass(1_000);
  await expect(answers.get('a')).rejects.toThrow('away');
  expect(answers.whileFailing('a', 60_000)).toBe(1);
  expect(answers.whileFailing('b', 60_000)).toBeNull();
  clock.pass(59_000);
  expect(answers.whileFailing('a', 60_000)).toBeNull();

  state.isAway = false;
  expect(await answers.get('a')).toBe(1);
  expect(answers.whileFailing('a', 60_000)).toBeNull();
});

test('after a failure of a minute ago, earlier values are not used again', async () => {
  const { clock, table, state, answers } = setUp();
  await answers.get('a');
  state.isAway = true;
  await expect(answers.get('b')).rejects.toThrow('away');
  state.isAway = false;
  table.delete('a');
  clock.pass(60_000);
  expect(answers.whileFailing('a', 900_000)).toBeNull();
  expect(await answers.get('a')).toBeNull();
});

test('of more than 10,000 answers the oldest are forgotten', async () => {
  const { table, answers } = setUp();
  for (let i = 0; i < 10_001; i += 1) table.set(`key ${i}`, i);
  for (const key of [...table.keys()].slice(1)) await answers.get(key);
  expect(answers.cached('key 0')).toBeNull();
  expect(answers.cached('key 1')).toBe(1);
  expect(answers.cached('key 10000')).toBe(10_000);
});
