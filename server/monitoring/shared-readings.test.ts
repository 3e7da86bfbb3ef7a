import { expect, test } from 'vitest';
import { TestClock } from '../platform/testing/test-clock';
import { SharedReadings } from './shared-readings';

const clock = new TestClock();

/** Readings of a kept age of 10 s, and what was read so far. */
function opened() {
  const read: string[] = [];
  const readings = new SharedReadings<number>(clock, 10_000);
  const get = (key: string, freshMs?: number) =>
    readings.get(key, async () => read.push(key), freshMs);
  return { readings, read, get };
}

test('a reading is shared by all callers, each for as long as it is fresh to them', async () => {
  const { read, get } = opened();
  expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual([1, 1, 2]);
  clock.pass(5_000);
  expect(await get('a', 5_001)).toBe(1);
  expect(await get('a', 5_000)).toBe(3);
  clock.pass(9_999);
  expect(await get('a')).toBe(3);
  clock.pass(1);
  expect(await get('a')).toBe(4);
  expect(read).toEqual(['a', 'b', 'a', 'a']);
});

test('a reading that fails is not kept, nor does it remove the one after it', async () => {
  const { readings, get } = opened();
  let fail: (error: Error) => void = () => undefined;
  const late = readings.get('a', () => new Promise((_, reject) => (fail = reject)));
  clock.pass(10_000);
  const next = get('a');
  fail(new Error('Too late.'));
  await expect(late).rejects.toThrow('Too late.');
  expect(await next).toBe(1);
  expect(await get('a')).toBe(1);

  const failed = readings.get('b', () => Promise.reject(new Error('Not now.')));
  await expect(failed).rejects.toThrow('Not now.');
  expect(await get('b')).toBe(2);
});

test('a reading that is forgotten is read again, also if it fails after that', async () => {
  const { readings, get } = opened();
  let fail: (error: Error) => void = () => undefined;
  const former = readings.get('a', () => new Promise((_, reject) => (fail = reject)));
  readings.forget('a');
  expect(await get('a')).toBe(1);
  fail(new Error('Too late.'));
  await expect(former).rejects.toThrow('Too late.');
  expect(await get('a')).toBe(1);
});
