import { expect, test } from 'vitest';
import { pastText } from './past-text';

test('an instant of the past has its day, and its year where that is not the present one', () => {
  const at = Date.UTC(2026, 0, 2, 3, 4, 5);
  expect(pastText(at, Date.UTC(2026, 0, 2, 4), 'UTC')).toBe('2 Jan, 03:04:05');
  expect(pastText(at, Date.UTC(2027, 5, 1), 'UTC')).toBe('2 Jan 2026, 03:04:05');
  const eve = Date.UTC(2026, 11, 31, 23, 30);
  expect(pastText(eve, eve, 'Europe/Vienna')).toBe('1 Jan, 00:30:00');
});
