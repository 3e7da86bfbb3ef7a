import { expect, test } from 'vitest';
import { missingSubject } from './missing-subject';

test('a page that is not there names what its address names', () => {
  expect(missingSubject('/locks/shop/a%2Fb')).toContain('no namespace “shop”');
  expect(missingSubject('/locks/shop/a%2Fb')).toContain('the name “a/b”');
  expect(missingSubject('/counters/shop/~~x')).toContain('no counter “~x” in namespace “shop”');
  expect(missingSubject('/insights/99')).toContain('no incident “99”');
  expect(missingSubject('/lab/compare')).toContain('cannot be compared');
  expect(missingSubject('/backends/redis')).toContain('a backend “redis”');
  expect(missingSubject('/lab/q3')).toContain('no race “q3”');
});

test('an address that cannot be read names nothing in particular', () => {
  for (const pathname of ['/', '/nothing', '/locks', '/locks/shop', '/insights/', '']) {
    expect(missingSubject(pathname)).toBeNull();
  }
  expect(missingSubject('/locks/shop/%E0%A4%A')).toContain('%E0%A4%A');
});

test('what could not be seen in a name is shown', () => {
  expect(missingSubject('/locks/shop/a%E2%80%AEb')).not.toContain('\u202e');
});
