import { expect, test } from 'vitest';
import { ownOrigin } from './own-origin';

test.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['locks.internal', 'http://locks.internal:3000'],
  ['::1', 'http://[::1]:3000'],
  ['fd00::7', 'http://[fd00::7]:3000'],
  ['0.0.0.0', 'http://127.0.0.1:3000'],
  ['::', 'http://[::1]:3000'],
])('a server that listens on %s is reached at %s', (host, origin) => {
  expect(ownOrigin({ host, port: 3000 })).toBe(origin);
  expect(new URL(origin).port).toBe('3000');
});
