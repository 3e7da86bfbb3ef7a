import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../platform/clock';
import { PageThrottle } from './page-throttle';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const clock = { ...systemClock, monotonic: () => performance.now() };
const staying = new AbortController().signal;

/** The answers within `ms` to this many callers, each of which repeats its request immediately. */
async function answersWithin(pace: PageThrottle, callers: number, ms: number, bytes = 0) {
  let answers = 0;
  let isOver = false;
  const caller = async () => {
    while (!isOver) {
      if (!(await pace.turn(staying))) return;
      answers += 1;
      pace.spend({ bytes });
    }
  };
  for (let i = 0; i < callers; i += 1) void caller();
  await vi.advanceTimersByTimeAsync(ms);
  isOver = true;
  return answers;
}

test('callers that never pause get no more than their share of the time', async () => {
  const pace = new PageThrottle(clock, 0.1);
  // Half a millisecond for each answer, plus what half a second has saved.
  const most = (10_500 * 0.1) / 0.5 + 1;
  const answers = await answersWithin(pace, 400, 10_000);
  expect(answers).toBeLessThanOrEqual(most);
  expect(answers).toBeGreaterThan(most * 0.9);
});

test('large answers are served less often', async () => {
  const small = await answersWithin(new PageThrottle(clock, 0.1), 50, 5_000);
  const large = await answersWithin(new PageThrottle(clock, 0.1), 50, 5_000, 1024 * 1024);
  expect(large).toBeLessThan(small / 4);
});

test('a caller that hangs up leaves the queue, and those behind it move up', async () => {
  const pace = new PageThrottle(clock, 0.1);
  await pace.turn(staying);
  pace.spend({ ms: 1_000 });
  const caller = new AbortController();
  const [gone, next] = [pace.turn(caller.signal), pace.turn(staying)];
  expect(pace.waiting).toBe(2);
  caller.abort();
  expect(await gone).toBe(false);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(await next).toBe(true);
  expect(await pace.turn(caller.signal)).toBe(false);
});
