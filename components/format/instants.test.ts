import { expect, test } from 'vitest';
import { clockText, exactInstant, instantText } from './instants';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');
const now = Date.UTC(2026, 10, 20, 14, 31, 6);

test('an instant of today shows its seconds, an older one its date', () => {
  expect(instantText(Date.UTC(2026, 10, 20, 0, 0, 1), now, 'UTC')).toBe('00:00:01');
  expect(plain(instantText(Date.UTC(2026, 10, 19, 14, 17, 3), now, 'UTC'))).toBe('19 Nov 14:17');
  expect(plain(instantText(Date.UTC(2024, 10, 19, 14, 17, 3), now, 'UTC'))).toBe(
    '19 Nov 2024 14:17',
  );
});

test('to the minute, an instant of today shows no seconds', () => {
  expect(clockText(Date.UTC(2026, 10, 20, 0, 0, 1), now, 'UTC')).toBe('00:00');
  expect(plain(clockText(Date.UTC(2026, 10, 19, 14, 17, 3), now, 'UTC'))).toBe('19 Nov 14:17');
});

test('today is determined by the reader’s zone', () => {
  const at = Date.UTC(2026, 10, 19, 23, 30);
  expect(instantText(at, now, 'Europe/Berlin')).toBe('00:30:00');
});

test('the hover has milliseconds and a zone', () => {
  expect(exactInstant(now + 7)).toBe('2026-11-20T14:31:06.007Z');
});
