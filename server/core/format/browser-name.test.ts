import { expect, test } from 'vitest';
import { BROWSER_NAME_MAX_CHARS, browserName } from './browser-name';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const MOBILE_WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

test.each([
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`,
    'Chrome on Windows',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} ` +
      'Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
    'Edge on Windows',
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36 OPR/125.0.0.0`,
    'Opera on Linux',
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} HeadlessChrome/142.0.0.0 Safari/537.36`,
    'Chrome on Linux',
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`,
    'Chrome on ChromeOS',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
  ['Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0', 'Firefox on Android'],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} ` +
      'SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
    'Samsung Internet on Android',
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${MOBILE_WEBKIT} Version/26.0 Safari/605.1.15`,
    'Safari on macOS',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${MOBILE_WEBKIT} ` +
      'Version/26.0 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [
    `Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) ${MOBILE_WEBKIT} ` +
      'CriOS/142.0.0.0 Mobile/15E148 Safari/604.1',
    'Chrome on iPad',
  ],
  ['Mozilla/5.0 (PlayStation; PlayStation 5/6.50) Firefox/1', 'Firefox'],
  ['curl/8.14.1', 'curl/8.14.1'],
  ['Firefox on Windows, says this program', 'Firefox on Windows, says this program'],
])('%s is shown as %s', (header, name) => {
  expect(browserName(header)).toBe(name);
});

test('a request without a User-Agent has no name of a browser', () => {
  for (const header of [undefined, '', ' \t ', '\u00a0']) expect(browserName(header)).toBeNull();
});

test('a hostile User-Agent gives a short line of printable ASCII', () => {
  const hostile = [
    'x'.repeat(16_000),
    `Mozilla/5.0 ${'Version/'.repeat(2_000)}`,
    'a\u0000b\u001b[31mc\r\nd\u202ee\u200bf\u00ffg',
    `<script>alert(1)</script>${'\u0007'.repeat(600)}`,
    `${' '.repeat(600)}Firefox/1`,
  ];
  for (const header of hostile) {
    const name = browserName(header) ?? '';
    expect(name).toMatch(/^[ -~]*$/);
    expect(name.length).toBeLessThanOrEqual(BROWSER_NAME_MAX_CHARS);
  }
  expect(browserName('x'.repeat(16_000))).toBe(`${'x'.repeat(57)}...`);
  expect(browserName(hostile[2])).toBe('a b [31mc d e f g');
});
