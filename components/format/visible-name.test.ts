import { describe, expect, test } from 'vitest';
import { visibleText } from '@/server/core/format/visible-text';
import { partsOf, visibleName, visiblePieces } from './visible-name';

const text = (name: string) => {
  const { head, tail } = visibleName(name);
  return [...head, ...tail].map((piece) => (piece.mark ? `[${piece.text}]` : piece.text)).join('');
};

describe('nothing in a name is invisible', () => {
  test.each([
    ['job', 'job'],
    ['job ', 'job[SP]'],
    [' a b ', '[SP]a b[SP]'],
    ['  ', '[SP][SP]'],
    ['a\tb\n', 'a[TAB]b[LF]'],
    ['a\u200bb', 'a[U+200B]b'],
    ['a\u202egpj', 'a[U+202E]gpj'],
    ['a\u00a0b', 'a[U+00A0]b'],
    ['jób', 'jób'],
  ])('%j', (name, shown) => {
    expect(text(name)).toBe(shown);
  });
});

test('the last ten characters are always in the tail', () => {
  const { head, tail } = visibleName('billing:invoice-run:2026-11');
  expect(head).toEqual([{ text: 'billing:invoice-r', mark: false }]);
  expect(tail).toEqual([{ text: 'un:2026-11', mark: false }]);
});

test.each([
  ['marks', `abc${'\u200d'.repeat(12)}z`, ['U+200D', 'z']],
  ['a short name full of marks', 'ab\u202e\u202c\u0001', ['U+0001']],
  ['a mark at the end', `${'a'.repeat(20)}\u200d`, ['aaaa', 'U+200D']],
  ['wide letters', '漢'.repeat(12), ['漢漢漢漢漢']],
])('a tail is no wider than ten columns: %s', (_, name, shown) => {
  expect(visibleName(name).tail.map((piece) => piece.text)).toEqual(shown);
});

test('a combining mark is never parted from its letter', () => {
  const { head, tail } = visibleName(`aaaaaaae\u0301${'b'.repeat(9)}`);
  expect(head).toEqual([{ text: 'aaaaaaa', mark: false }]);
  expect(tail[0]?.text.startsWith('e\u0301')).toBe(true);
});

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, place) => first + place);

/** Control and direction characters, characters of no width, and letters that are blank. */
const UNSEEN = [
  ...range(0x0000, 0x001f),
  ...range(0x007f, 0x009f),
  ...range(0x202a, 0x202e),
  ...range(0x2066, 0x2069),
  ...[0x200e, 0x200f, 0x061c, 0x200b, 0x200c, 0x200d, 0x2060, 0xfeff],
  ...[0x00ad, 0x034f, 0x115f, 0x1160, 0x180e, 0x2800, 0x3164, 0xffa0, 0xfe0f, 0xe0001],
];

describe('wherever a text is drawn, a character that cannot be seen is a mark', () => {
  test.each(UNSEEN.map((point) => [point.toString(16), point] as const))('U+%s', (_, point) => {
    const character = String.fromCodePoint(point);
    const { head, tail } = visibleName(`a${character}b`);
    const shown = [...head, ...tail, ...visiblePieces(`a${character}b`)];
    expect(shown.map((piece) => piece.text).join('')).not.toContain(character);
    expect(shown.filter((piece) => piece.mark)).toHaveLength(2);
    expect(visibleText(`a${character}b`)).toMatch(/^a\[(U\+[0-9A-F]{4,6}|TAB|LF|CR)\]b$/);
  });

  test('half a surrogate pair', () => {
    expect(visibleText('a\ud800b')).toBe('a[U+D800]b');
  });
});

test('a variation selector of an emoji gets no mark, but the same after a letter does', () => {
  expect(visibleText('⚠\ufe0f careful')).toBe('⚠\ufe0f careful');
  expect(visibleText('1\ufe0f')).toBe('1[U+FE0F]');
});

test('plain text with letters that are read from right to left reorders nothing beside it', () => {
  expect(visibleText('שלום 12')).toBe('\u2068שלום 12\u2069');
  expect(visibleText('job:12')).toBe('job:12');
});

test('a name has parts, each of which ends with what divides it from the next one', () => {
  expect(partsOf('billing:invoice-run:2026-11')).toEqual([
    'billing:',
    'invoice-',
    'run:',
    '2026-',
    '11',
  ]);
  expect(partsOf('s3://a/b.txt_')).toEqual(['s3://', 'a/', 'b.', 'txt_']);
  expect(partsOf('--lead')).toEqual(['--', 'lead']);
  expect([partsOf('plain'), partsOf('')]).toEqual([['plain'], []]);
});
