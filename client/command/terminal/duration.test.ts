import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from './duration';

test.each([
  ['250ms', 250],
  ['30s', 30_000],
  ['1.5m', 90_000],
  ['5min', 300_000],
  ['2h', 7_200_000],
  ['24H', 86_400_000],
  ['1d', 86_400_000],
  ['5', 5_000],
  ['0.25', 250],
  ['.5', 500],
  ['0', 0],
  ['1.5 s', 1_500],
  [' 5 min ', 300_000],
])('“%s” is a duration, on the command line as in the console', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  '',
  ' ',
  's',
  '-1',
  '-1s',
  '1e3',
  '1w',
  '5 weeks',
  '1.',
  'soon',
  '0x10',
  '1s2',
  '1h 5m',
])('“%s” is none', (text) => {
  expect(parseDuration(text)).toBeNull();
});

test('a shorter duration is shown more exactly', () => {
  expect([0, 450, 12_345, 252_000, 7_500_000].map(formatDuration)).toEqual([
    '0 ms',
    '450 ms',
    '12.3 s',
    '4 m 12 s',
    '2 h 5 m',
  ]);
});
