import { expect, test } from 'vitest';
import { countTicks, durationTicks, tickLabel } from './duration-ticks';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test.each([
  [0, ['0', '1 ms', '2 ms', '3 ms']],
  [700, ['0', '500 ms', '1 s', '1.5 s']],
  [48_000, ['0', '20 s', '40 s', '1 m']],
  [200_000, ['0', '2 m', '4 m', '6 m']],
  [5 * 3_600_000, ['0', '2 h', '4 h', '6 h']],
])('an axis up to %i ms has round durations', (mostMs, words) => {
  expect(durationTicks(mostMs).map((ms) => plain(tickLabel(ms)))).toEqual(words);
});

test('the last tick is never below what is drawn', () => {
  for (let most = 0.3; most < 1e11; most *= 1.7) {
    expect(durationTicks(most).at(-1)).toBeGreaterThanOrEqual(most);
    expect(countTicks(most).at(-1)).toBeGreaterThanOrEqual(most);
  }
  expect(countTicks(0)).toEqual([0, 1, 2, 3]);
  expect(countTicks(41)).toEqual([0, 20, 40, 60]);
});
