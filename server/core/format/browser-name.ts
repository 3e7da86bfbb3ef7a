const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chromium|Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

/** iPadOS calls itself a Mac unless a page for mobile devices was requested. */
const SYSTEMS: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\b(?:Macintosh|Mac OS X)\b/, 'macOS'],
  [/\b(?:Linux|X11)\b/, 'Linux'],
];

/** The longest name, in characters. */
export const BROWSER_NAME_MAX_CHARS = 60;

/** A longer text is not examined any further. */
const EXAMINED_MAX_CHARS = 512;

/**
 * The browser and system that a `User-Agent` header names, such as `Firefox on Windows`; the
 * header's own words, cut, if it names no known browser; null for none. At most
 * `BROWSER_NAME_MAX_CHARS` of printable ASCII. It is only what the caller says of itself.
 */
export function browserName(userAgent: string | undefined): string | null {
  const text = (userAgent ?? '')
    .slice(0, EXAMINED_MAX_CHARS)
    .replaceAll(/[^\x21-\x7e]+/g, ' ')
    .trim();
  const browser = text.startsWith('Mozilla/') ? firstNamed(BROWSERS, text) : null;
  if (browser === null) return cut(text) || null;
  const system = firstNamed(SYSTEMS, text);
  return system === null ? browser : `${browser} on ${system}`;
}

const firstNamed = (names: readonly [RegExp, string][], text: string): string | null =>
  names.find(([pattern]) => pattern.test(text))?.[1] ?? null;

const cut = (text: string): string =>
  text.length <= BROWSER_NAME_MAX_CHARS ? text : `${text.slice(0, BROWSER_NAME_MAX_CHARS - 3)}...`;
