import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeCounter, encodeCounter } from './counter-codec';

const whole = fc.maxSafeInteger();
const move = fc.record({ at: fc.nat(), delta: whole, who: fc.string(), isPerson: fc.boolean() });

it('a counter is read as it was written', () => {
  const counters = fc.record({
    rev: fc.nat(),
    value: fc.integer(),
    floor: fc.option(fc.integer({ min: Number.MIN_SAFE_INTEGER, max: -(2 ** 31) })),
    ceiling: fc.option(fc.integer({ min: 2 ** 31, max: Number.MAX_SAFE_INTEGER })),
    createdAt: fc.nat(),
    lastMove: fc.option(move),
    answersUntil: fc.nat(),
  });
  fc.assert(
    fc.property(counters, (record) => {
      const { head, queue } = encodeCounter(record);
      const stored = { rev: record.rev, writer: 'w', head, queue: queue ?? '' };
      expect(decodeCounter(stored)).toEqual({ record, writer: 'w', storedQueue: [] });
    }),
  );
});

it('a counter of an older version is assumed to have stored answers since its last change', () => {
  const read = (head: string) => decodeCounter({ rev: 1, writer: 'w', head, queue: '' }).record;
  expect(read('[1,null,null,5,0]').answersUntil).toBe(5 + 15 * 60_000);
  expect(read('[1,null,null,5,[9,1,"orders",0]]').answersUntil).toBe(9 + 15 * 60_000);
});

it('a text that no version of Lockyard wrote is refused', () => {
  for (const head of [
    '',
    'head',
    '{"value":1}',
    '[]',
    '["1",null,null,0,0]',
    '[1.5,null,null,0,0]',
  ]) {
    expect(() => decodeCounter({ rev: 1, writer: 'w', head, queue: '' })).toThrow();
  }
});
