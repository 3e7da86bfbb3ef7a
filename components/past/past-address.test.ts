import { expect, test } from 'vitest';
import { isPastPage, pastHref, readPastAt } from './past-address';

test('an instant is read as milliseconds or as a date with a zone; any other text is not', () => {
  expect(readPastAt(null)).toBeNull();
  expect(readPastAt('')).toBeNull();
  expect(readPastAt('1795222867000')).toBe(1_795_222_867_000);
  expect(readPastAt('2026-11-21T02:41:07Z')).toBe(Date.UTC(2026, 10, 21, 2, 41, 7));
  expect(readPastAt('2026-11-21T03:41:07.5+01:00')).toBe(Date.UTC(2026, 10, 21, 2, 41, 7, 500));
  for (const text of ['yesterday', '-5', '1e9', '2026-11-21T02:41:07', '2026-99-21T02:41:07Z']) {
    expect(readPastAt(text), text).toBe('unreadable');
  }
  expect(readPastAt('9999999999999999')).toBe('unreadable');
});

test('links keep the instant on pages that can show it, and only there', () => {
  expect(pastHref('/', 5)).toBe('/?at=5');
  expect(pastHref('/?view=all&at=4', 5)).toBe('/?view=all&at=5');
  expect(pastHref('/locks/a/b?at=4', null)).toBe('/locks/a/b');
  expect(pastHref('/settings', 5)).toBe('/settings');
  expect(pastHref('/audit?act=key.create&at=4', 5)).toBe('/audit?act=key.create');
  expect(isPastPage('/counters/a/b')).toBe(true);
});
