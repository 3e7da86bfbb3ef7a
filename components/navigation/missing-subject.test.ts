import { expect, test } from 'vitest';
import { missingSubject } from './missing-subject';

test('a page that is not there names what its address names', () => {
  const titleOf = (pathname: string) => missingSubject(pathname).title;
  const whyOf = (pathname: string) => missingSubject(pathname).why;
  expect(titleOf('/locks/shop/never')).toBe('Lock not found');
  expect(whyOf('/locks/shop/a%2Fb')).toContain('no namespace “shop”');
  expect(whyOf('/locks/shop/a%2Fb')).toContain('the name “a/b”');
  expect(titleOf('/counters/shop/~~x')).toBe('Counter not found');
  expect(whyOf('/counters/shop/~~x')).toContain('no counter “~x” in namespace “shop”');
  expect(titleOf('/insights/99')).toBe('Incident not found');
  expect(whyOf('/insights/99')).toContain('no incident “99”');
  expect(titleOf('/backends/redis')).toBe('Backend not found');
  expect(titleOf('/lab/q3')).toBe('Race not found');
});

test('an address that cannot be read names nothing in particular', () => {
  for (const pathname of ['/', '/nothing', '/locks', '/locks/shop', '/insights/', '']) {
    expect(missingSubject(pathname).title).toBe('Page not found');
  }
  expect(missingSubject('/locks/shop/%E0%A4%A').why).toContain('%E0%A4%A');
});

test('what could not be seen in a name is shown', () => {
  expect(missingSubject('/locks/shop/a%E2%80%AEb').why).not.toContain('\u202e');
});
