import { expect, test } from 'vitest';
import { NAV_ITEMS } from './nav-rail';

test('every page of the navigation has a key of its own', () => {
  const keys = NAV_ITEMS.map(({ key }) => key);
  expect(keys).toEqual(keys.map(() => expect.stringMatching(/^[a-z]$/)));
  expect(new Set(keys).size).toBe(keys.length);
});
