import { expect, test } from 'vitest';
import {
  createKnownBrowserToken,
  KNOWN_BROWSER_MAX_MS,
  knownBrowserCookieName,
  verifyKnownBrowserToken,
} from './known-browser';

const SECRET = 'the secret of a test, long enough';
const NOW = 1_800_000_000_000;

const read = (mark: string | null, user = 'ana', secret = SECRET, now = NOW) =>
  verifyKnownBrowserToken(mark, user, secret, now);

test('a mark names one browser, for 180 days', () => {
  const mark = createKnownBrowserToken('ana', SECRET, NOW);
  const browser = read(mark);
  expect(browser).toMatch(/^[\w-]{22}$/);
  expect(read(mark, 'ana', SECRET, NOW + KNOWN_BROWSER_MAX_MS - 1)).toBe(browser);
  expect(read(mark, 'ana', SECRET, NOW + KNOWN_BROWSER_MAX_MS)).toBeNull();
  expect(KNOWN_BROWSER_MAX_MS).toBe(180 * 86_400_000);
  expect(read(createKnownBrowserToken('ana', SECRET, NOW))).not.toBe(browser);
});

test('a mark of another account or installation, or with any character changed, is refused', () => {
  const mark = createKnownBrowserToken('ana', SECRET, NOW);
  expect(read(mark, 'bea')).toBeNull();
  expect(read(mark, 'ana', `${SECRET}!`)).toBeNull();
  for (let at = 0; at < mark.length; at++) {
    const other = mark[at] === 'a' ? 'b' : 'a';
    expect(read(mark.slice(0, at) + other + mark.slice(at + 1))).toBeNull();
  }
  for (const text of [null, '', '..', `${mark}a`, mark.slice(1), 'a'.repeat(5_000)]) {
    expect(read(text)).toBeNull();
  }
});

test('the name of its cookie distinguishes accounts without naming them', () => {
  expect(knownBrowserCookieName('ana')).not.toBe(knownBrowserCookieName('bea'));
  expect(knownBrowserCookieName('ana')).not.toContain('ana');
});
