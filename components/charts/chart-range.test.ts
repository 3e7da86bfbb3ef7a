import { expect, test } from 'vitest';
import { INSIGHT_RANGES } from '@/server/contract/console/insight-row';
import { rangeUrl, readRange, widerRange } from './chart-range';

test('the URL holds the range, except the default, and is read back', () => {
  for (const range of INSIGHT_RANGES) {
    const address = rangeUrl('/locks/default/x', range);
    expect(readRange(new URL(address, 'http://h').searchParams)).toBe(range);
  }
  expect(rangeUrl('/locks/default/x', '1h')).toBe('/locks/default/x');
  expect(readRange(new URLSearchParams('range=2y'))).toBe('1h');
  expect(widerRange('7d')).toBe('30d');
  expect(widerRange('30d')).toBeNull();
});
