import { expect, it } from 'vitest';
import { NameOrder } from './name-order';

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The names that are in slots, and their order. */
function orderOf(names: (string | null)[]) {
  return new NameOrder<string>((slot) => names[slot] ?? null, compare);
}

it('compares all slots, including the first and the last', () => {
  const names: (string | null)[] = ['m', 'd', 'x'];
  const order = orderOf(names);
  order.add([0, 1, 2]);
  expect(order.compareSlots(1, 0)).toBeLessThan(0);
  expect(order.compareSlots(2, 0)).toBeGreaterThan(0);
  names.push('a', 'z');
  order.add([3, 4]);
  for (const [a, one] of names.entries()) {
    for (const [b, other] of names.entries()) {
      const expected = compare(one ?? '', other ?? '');
      expect(Math.sign(order.compareSlots(a, b))).toBe(expected);
    }
  }
});

it('compares a slot by its new name once it is used again', () => {
  const names: (string | null)[] = ['m', 'd', 'x'];
  const order = orderOf(names);
  order.add([0, 1, 2]);
  expect(order.compareSlots(1, 0)).toBeLessThan(0);
  names[1] = null;
  order.remove(1);
  names[1] = 'z';
  order.add([1]);
  expect(order.compareSlots(1, 2)).toBeGreaterThan(0);
  expect([...order.from(() => false)]).toEqual(['m', 'x', 'z']);
});

it('adds a name to a million without comparing all of them', () => {
  const count = 1_000_000;
  const names = Array.from({ length: count + 2_000 }, (_, i) => String(i).padStart(7, '0'));
  const order = orderOf(names);
  order.add(Array.from({ length: count }, (_, i) => i));
  const startedAt = process.cpuUsage();
  // If all of them were read each time, this would take a minute.
  for (let slot = count; slot < names.length; slot += 1) order.add([slot]);
  const { user } = process.cpuUsage(startedAt);
  expect(user / 1e6).toBeLessThan(10);
  expect(order.compareSlots(count, count + 1)).toBeLessThan(0);
});
