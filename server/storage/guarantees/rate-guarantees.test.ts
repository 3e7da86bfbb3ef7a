import { expect, it } from 'vitest';
import type { Guarantees } from '../record-store';
import { joinGuarantees } from './rate-guarantees';

const flush = (value: string, complaint: string | null = null) => ({
  name: 'flush',
  value,
  complaint,
});
const strong: Guarantees = {
  level: 'Strong',
  reasons: ['All is flushed.'],
  settings: [flush('1')],
  unsafe: null,
};
const weak: Guarantees = {
  level: 'Best-effort',
  reasons: ['A crash forgets.'],
  settings: [flush('0', 'Must be 1.')],
  unsafe: 'Two servers write.',
};

it('shards together guarantee what the weakest one does, and name it', () => {
  expect(
    joinGuarantees([
      ['a', strong],
      ['b', weak],
      ['c', strong],
    ]),
  ).toEqual({
    level: 'Best-effort',
    reasons: ['b: A crash forgets.'],
    settings: [
      { name: 'flush of a, c', value: '1', complaint: null },
      { name: 'flush of b', value: '0', complaint: 'Must be 1.' },
    ],
    unsafe: 'b: Two servers write.',
  });
});

it('a reason that applies to all shards is listed once', () => {
  expect(
    joinGuarantees([
      ['a', strong],
      ['b', strong],
    ]),
  ).toEqual(strong);
});
