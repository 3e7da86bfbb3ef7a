import { expect, test } from 'vitest';
import { shortenedPath } from './shortened-path';

test.each([
  ['/locks', '', '/'],
  ['/locks/', '', '/'],
  ['/locks', 'state=stuck', '/?state=stuck'],
  ['/locks/shop', '', '/?namespace=shop'],
  ['/locks/shop/', 'at=1795714200000', '/?at=1795714200000&namespace=shop'],
  ['/locks/shop', 'namespace=other', '/?namespace=shop'],
  ['/counters/shop', '', '/counters?q=shop%2F'],
  ['/counters/shop/', 'at=1', '/counters?at=1&q=shop%2F'],
])('%s?%s leads to %s', (pathname, query, list) => {
  expect(shortenedPath(pathname, query)).toBe(list);
});

test.each([
  '/',
  '/counters',
  '/counters/',
  '/locks/shop/a',
  '/locks//',
  '/locks/Shop',
  '/locks/%2e%2e',
  '/locks/shop%2Fa',
  '/backends/default',
  '/lockss',
  '//locks',
])('%s is no shortened address', (pathname) => {
  expect(shortenedPath(pathname, '')).toBeNull();
});
