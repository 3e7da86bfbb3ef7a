import { expect, it } from 'vitest';
import { TestClock } from '../../platform/testing/test-clock';
import { HeapWatch } from './heap-watch';

it('memory is short from 80 % of the heap limit until below 75 %, checked every 0.5 s', () => {
  const clock = new TestClock();
  const heap = { used: 79, limit: 100, looks: 0 };
  const watch = new HeapWatch(clock, () => {
    heap.looks += 1;
    return heap;
  });
  const after = (used: number, ms: number) => {
    heap.used = used;
    clock.pass(ms);
    return watch.isShort();
  };
  expect(watch.isShort()).toBe(false);
  expect(after(80, 499)).toBe(false);
  expect(after(80, 1)).toBe(true);
  expect(after(75, 500)).toBe(true);
  expect(after(74, 500)).toBe(false);
  expect(after(79, 500)).toBe(false);
  expect(heap.looks).toBe(5);
});

it('reads the real heap, which is not full', () => {
  expect(new HeapWatch(new TestClock()).isShort()).toBe(false);
});
