import { dictionary } from '@zxcvbn-ts/language-common';

/** Shorter words occur in almost any text. */
const WORD_MIN_CHARS = 4;

/** Substitutes for letters, such as `4` for `a`. */
const SUBSTITUTES: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  '5': 's',
  $: 's',
  '7': 't',
};

let words: { all: Set<string>; longest: number } | null = null;

/**
 * How many characters of a password remain when common passwords are removed from it. Removes at
 * most `wordsMax` of the 49,000 most common ones, chosen so that the fewest characters remain.
 * Ignores case, digits in place of similar letters, and a text that is only repeated.
 */
export function countUncommonChars(password: string, wordsMax: number): number {
  const plain = password.toLowerCase();
  const spelt = [...plain].map((char) => SUBSTITUTES[char] ?? char).join('');
  const readings = new Set([plain, spelt]);
  return Math.min(
    ...[...readings].map((text) => fewestRemaining(withoutRepetition(text), wordsMax)),
  );
}

function withoutRepetition(text: string): string {
  return /^(.+?)\1+$/s.exec(text)?.[1] ?? text;
}

function fewestRemaining(text: string, wordsMax: number): number {
  words ??= loadWords();
  const { all, longest } = words;
  // Index: the length of a prefix. Value: the fewest characters that remain of it with `used` words
  // removed.
  let left = Array.from({ length: text.length + 1 }, (_, end) => end);
  for (let used = 1; used <= wordsMax; used++) {
    const fewer = left;
    left = [0];
    for (let end = 1; end <= text.length; end++) {
      let least = Math.min((left[end - 1] ?? 0) + 1, fewer[end] ?? 0);
      for (let chars = WORD_MIN_CHARS; chars <= Math.min(longest, end); chars++) {
        const before = fewer[end - chars] ?? 0;
        if (before < least && all.has(text.slice(end - chars, end))) least = before;
      }
      left.push(least);
    }
  }
  return left[text.length] ?? 0;
}

function loadWords() {
  const all = new Set(dictionary['passwords-common'].map((word) => word.toLowerCase()));
  return { all, longest: Math.max(...[...all].map(({ length }) => length)) };
}
