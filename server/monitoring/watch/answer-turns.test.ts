import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TimeSlice } from '../lock-list/order/time-slice';
import { AnswerTurns } from './answer-turns';

/** Each answer takes this long by a clock that the test moves. */
const ANSWER_MS = 2;

function turnsOnTestClock() {
  const clock = { ms: 0, rests: 0 };
  const rest = async () => {
    clock.rests += 1;
    await setImmediate();
  };
  const now = () => clock.ms;
  const turns = new AnswerTurns(() => new TimeSlice(now, now, rest), now);
  const order: string[] = [];
  const ask = (name: string, isLarge = false) =>
    turns.run(
      () => {
        clock.ms += ANSWER_MS;
        order.push(name);
        return name;
      },
      { isLarge, extraMs: 0 },
    );
  return { clock, turns, order, ask };
}

it('small answers come before large ones, which get every fourth turn', async () => {
  const { order, ask } = turnsOnTestClock();
  const large = ['L1', 'L2'].map((name) => ask(name, true));
  const small = Array.from({ length: 8 }, (_, i) => ask(`s${i}`));
  await Promise.all([...large, ...small]);
  expect(order).toEqual(['L1', 's0', 's1', 'L2', 's2', 's3', 's4', 's5', 's6', 's7']);
});

it('rests between answers, so that others of the process get their turn', async () => {
  const { clock, ask } = turnsOnTestClock();
  await Promise.all(Array.from({ length: 40 }, (_, i) => ask(`${i}`)));
  expect(clock.rests).toBeGreaterThanOrEqual(18);
});

it('a failing answer fails only for its caller', async () => {
  const { turns, ask } = turnsOnTestClock();
  const fails = turns.run(
    () => {
      throw new Error('no reading');
    },
    { isLarge: false, extraMs: 0 },
  );
  const [failed, next] = await Promise.allSettled([fails, ask('next')]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'no reading' } });
  expect(next).toMatchObject({ status: 'fulfilled', value: 'next' });
});
