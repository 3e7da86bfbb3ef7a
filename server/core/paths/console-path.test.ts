import { expect, test } from 'vitest';
import { lockPath, nameFromPath } from './console-path';

test.each([
  'job',
  'a/b',
  '.',
  '..',
  '~',
  '~.',
  '%2F',
  'job ',
  'jób 🔒',
  'a?b#c',
  '\n',
  '\\',
  '../..',
  '...',
])('the path of %j leads back to it, through a browser', (name) => {
  const { pathname } = new URL(lockPath('shop', name), 'http://lockyard.test');
  const segment = pathname.split('/').at(-1) ?? '';
  expect(nameFromPath(segment)).toBe(name);
});

test('malformed percent-encoding is not a name', () => {
  expect(nameFromPath('%E0%A4%A')).toBeNull();
});
