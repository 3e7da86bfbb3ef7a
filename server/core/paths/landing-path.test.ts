import { expect, test } from 'vitest';
import { landingPath, signInPath } from './landing-path';

const wayBack = (pathname: string, query = '') => {
  const [, text = ''] = signInPath(pathname, query).split('?');
  return landingPath(text);
};

test.each([
  ['/', ''],
  ['/', 'namespace=shop&q=a%26b'],
  ['/locks/shop/a%2Fb%3Fc', ''],
  ['/locks/shop/%E2%80%AEabc', 'at=1795714200000'],
])('the sign-in leads back to %s?%s', (pathname, query) => {
  expect(wayBack(pathname, query)).toBe(query ? `${pathname}?${query}` : pathname);
});

test('parameters that only identify a navigation are dropped from the landing address', () => {
  expect(wayBack('/waits', 'view=list&_rsc=1k2j3')).toBe('/waits?view=list');
});

test.each([
  null,
  '',
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '/\t/evil.example/',
  '/.//evil.example/',
  '/%2e//evil.example/',
  '/waits/..//evil.example/',
  '/./\\evil.example/',
  'javascript:alert(1)',
  'waits',
  '/sign-in?next=/waits',
  '/setup',
])('%j leads to the list, and never out of the console', (next) => {
  const query = next === null ? '' : String(new URLSearchParams({ next }));
  expect(landingPath(query)).toBe('/');
});
