import { expect, test } from 'vitest';
import { operatorReason } from './console-inputs';

test.each([
  ['zero-width spaces', '\u200b\u200b\u200b'],
  ['marks of direction', '\u202e\u2066\u2069'],
  ['fillers', '\u3164\u3164\u3164'],
  ['empty Braille cells', '\u2800\u2800\u2800'],
])('a reason of nothing but %s is refused', (_, reason) => {
  const { error } = operatorReason.safeParse(reason);
  expect(error?.issues.map(({ message }) => message)).toEqual(['must be visible']);
});

test.each(['ok!', 'the job hangs', '死锁了', '👩‍🚒 on it', 'a\u200bb'])(
  '%j is a reason, stored unchanged',
  (reason) => {
    expect(operatorReason.parse(reason)).toBe(reason);
  },
);
