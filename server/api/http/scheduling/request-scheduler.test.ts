import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TestClock } from '../../../platform/testing/test-clock';
import type { CallClass } from './call-class';
import { RequestScheduler, type ScheduledTurn } from './request-scheduler';
import { SharedWindow } from './shared-window';

let clock: TestClock;
let scheduler: RequestScheduler;
let begun: string[];
let turns: ScheduledTurn[];

beforeEach(() => {
  clock = new TestClock();
  scheduler = new RequestScheduler(clock, new SharedWindow(() => 1));
  begun = [];
  turns = [];
});

afterEach(() => {
  vi.useRealTimers();
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function ask(callClass: CallClass, caller: string, { units = 1, endsItself = true } = {}): void {
  scheduler.submit(callClass, caller, units, (turn) => {
    begun.push(`${callClass} ${caller}`);
    if (endsItself) turn.end();
    else turns.push(turn);
  });
}

const times = (count: number, what: () => void) => Array.from({ length: count }, what);
const count = (what: string) => begun.filter((one) => one === what).length;

test('a call begins at once if no other is waiting', () => {
  ask('service', 'orders');
  ask('console', '192.0.2.1');
  expect(begun).toEqual(['service orders', 'console 192.0.2.1']);
});

test('simultaneous calls are served by class: holds, other calls, console, pages', async () => {
  times(30, () => ask('service', 'orders'));
  const beforehand = begun.length;
  ask('page', '192.0.2.1');
  ask('console', '192.0.2.1');
  times(3, () => ask('hold', 'orders'));
  await nextTurn();
  const order = begun.slice(beforehand);
  expect(order.slice(0, 3)).toEqual(times(3, () => 'hold orders'));
  expect(order.indexOf('console 192.0.2.1')).toBeGreaterThan(3);
  expect(begun).toHaveLength(35);
});

test('fewer long calls than short ones begin in one turn', async () => {
  times(8, () => ask('service', 'orders'));
  for (let i = 0; i < 10; i += 1) {
    scheduler.submit('console', '192.0.2.1', 64, (turn) => {
      begun.push('long');
      clock.pass(20);
      turn.end();
    });
  }
  await nextTurn();
  expect(count('long')).toBe(1);
  ask('hold', 'orders');
  await nextTurn();
  expect(begun.slice(-2)).toEqual(['hold orders', 'long']);
});

test('a class below a flooded one still gets a small share', async () => {
  times(60, () => ask('hold', 'orders'));
  ask('service', 'billing');
  ask('console', '192.0.2.1');
  ask('page', '192.0.2.1');
  await nextTurn();
  for (const one of ['service billing', 'console 192.0.2.1', 'page 192.0.2.1']) {
    expect(begun.slice(0, 55)).toContain(one);
  }
});

describe('between API keys', () => {
  test('calls are served one of each in turn, however many one key sends', async () => {
    times(40, () => ask('service', 'flood'));
    const beforehand = begun.length;
    times(8, () => ask('service', 'orders'));
    await nextTurn();
    expect(begun.slice(beforehand, beforehand + 16).sort()).toEqual(
      [...times(8, () => 'service flood'), ...times(8, () => 'service orders')].sort(),
    );
  });

  test('a call counts by its amount of work', async () => {
    times(20, () => ask('service', 'flood', { units: 4 }));
    times(20, () => ask('service', 'orders'));
    const beforehand = count('service flood');
    await nextTurn();
    const untilServed = begun.slice(0, begun.lastIndexOf('service orders'));
    const meanwhile = untilServed.filter((one) => one === 'service flood').length - beforehand;
    expect(meanwhile).toBeLessThanOrEqual(6);
  });

  test('a key whose calls never end fills only its own queue and blocks no other key', async () => {
    ask('service', 'orders');
    times(100, () => ask('service', 'flood', { endsItself: false }));
    await nextTurn();
    expect(count('service flood')).toBe(8);
    times(5, () => ask('service', 'orders'));
    await nextTurn();
    expect(count('service orders')).toBe(6);
    for (const turn of turns.splice(0)) turn.end();
    await expect.poll(() => count('service flood')).toBe(16);
  });

  test('a key that calls again at once is waited for, and served with others', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const come = () => ask('service', 'orders', { endsItself: false });
    times(100, () => ask('service', 'flood', { endsItself: false }));
    for (let round = 1; round <= 3; round += 1) {
      come();
      await nextTurn();
      begun.length = 0;
      for (const turn of turns.splice(0)) turn.end();
      await nextTurn();
      expect(begun).toEqual(round === 1 ? times(8, () => 'service flood') : []);
    }
    come();
    await nextTurn();
    expect(begun).toEqual(['service orders', ...times(8, () => 'service flood')]);
    begun.length = 0;
    for (const turn of turns.splice(0)) turn.end();
    await nextTurn();
    expect(begun).toEqual([]);
    vi.advanceTimersByTime(2);
    await nextTurn();
    expect(begun).toEqual(times(8, () => 'service flood'));
  });

  test('a key can renew and release while its other calls use all their capacity', async () => {
    ask('service', 'orders');
    times(100, () => ask('service', 'flood', { endsItself: false }));
    await nextTurn();
    times(5, () => ask('hold', 'flood'));
    await nextTurn();
    expect(count('hold flood')).toBe(5);
  });

  test('a key that is alone has all of the capacity', async () => {
    times(300, () => ask('service', 'orders', { endsItself: false }));
    await nextTurn();
    expect(begun).toHaveLength(300);
  });

  test('calls that wait for an unresponsive store block no other call for long', async () => {
    times(600, () => ask('service', 'orders', { endsItself: false }));
    await nextTurn();
    expect(begun).toHaveLength(512);
    clock.pass(250);
    ask('service', 'billing');
    await nextTurn();
    expect(begun).toContain('service billing');
  });
});

test('the console has few calls under way while programs call, else all its capacity', async () => {
  ask('service', 'orders', { endsItself: false });
  times(10, () => ask('console', '192.0.2.1', { endsItself: false }));
  await nextTurn();
  expect(count('console 192.0.2.1')).toBe(4);
  for (const turn of turns.splice(0)) turn.end();
  clock.pass(50);
  await expect.poll(() => count('console 192.0.2.1')).toBe(10);
});

test('a key may have fewer calls beside others on a busy event loop, more on an idle one', () => {
  let utilization = 0.5;
  const window = new SharedWindow(() => utilization);
  times(10, () => window.adapt());
  expect(window.size).toBe(64);
  utilization = 1;
  times(10, () => window.adapt());
  expect(window.size).toBe(8);
});

test('the number of waiting calls and their delays are counted by class', async () => {
  times(30, () => ask('service', 'orders'));
  const ofService = ({ labels }: { labels: Record<string, string> }) => labels.class === 'service';
  const [before] = scheduler.tally.metrics();
  expect(before?.samples.find(ofService)).toMatchObject({ value: 22 });
  clock.pass(20);
  await nextTurn();
  const [after, delays] = scheduler.tally.metrics();
  expect(after?.samples.find(ofService)).toMatchObject({ value: 0 });
  const measured = delays?.samples.find(ofService);
  expect(measured).toMatchObject({ count: 30, sum: expect.closeTo(22 * 0.02) });
  expect(measured).toMatchObject({ buckets: expect.arrayContaining([[0.01, 8]]) });
});
