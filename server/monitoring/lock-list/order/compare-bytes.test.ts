import { expect, it } from 'vitest';
import { compareBytes } from './compare-bytes';

const TEXTS = [
  '',
  'a',
  'ab',
  'b',
  'B',
  'ä',
  '\u{7ff}',
  '\u{d7ff}',
  '\u{e000}',
  '\u{ffff}',
  '\u{10000}',
  '\u{1f512}',
  '\u{1f513}',
  '\u{1f512}a',
  '\u{10ffff}',
  'a\u{ffff}',
  'a\u{1f512}',
];

it('orders texts as their UTF-8 bytes', () => {
  for (const a of TEXTS) {
    for (const b of TEXTS) {
      const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
      expect(Math.sign(compareBytes(a, b)), JSON.stringify([a, b])).toBe(expected);
    }
  }
});
