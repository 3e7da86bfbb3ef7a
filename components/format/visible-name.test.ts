import { describe, expect, test } from 'vitest';
import { visibleName } from './visible-name';

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
