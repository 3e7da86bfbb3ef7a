import { expect, it } from 'vitest';
import { NameCapacity } from './name-capacity';
import { NameCount } from './name-count';

const lock = (name: string) => ({ namespace: 'default', name });

it("a full namespace, or a server short of memory, has room for Lockyard's own names only", () => {
  const names = new NameCount(() => 0);
  const memory = { isShort: false };
  const room = new NameCapacity(names, () => memory.isShort);
  names.appeared(lock('a'));
  expect(room.refusal('default', 2)).toBe(null);
  expect([20, 21].map((most) => room.roomFor('default', most))).toEqual([19, null]);
  names.creating(lock('b'));
  expect(room.refusal('default', 2)).toBe(
    'The namespace "default" is full: its policy allows 2 locks and counters together, ' +
      'and it has 2. Existing ones keep working.',
  );
  expect(room.refusal('billing', 2)).toBe(null);
  memory.isShort = true;
  expect(room.refusal('billing', 2)).toMatch(/^This server is short of memory/);
  expect(room.refusal('.lockyard', 2)).toBe(null);
});
