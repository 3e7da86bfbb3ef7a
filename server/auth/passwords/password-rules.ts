import { dictionary } from '@zxcvbn-ts/language-common';
import { PASSWORD_MIN_CHARS } from '../../contract/console/console-terms';
import { LockyardError } from '../../contract/errors';

/** Words that never count: those of this product, and the most common parts of passwords. */
const COMMON = [
  'lockyard',
  'distributedlock',
  'controlroom',
  'password',
  'passwort',
  'passw0rd',
  'p@ssword',
  'p@ssw0rd',
  'motdepasse',
  'contraseña',
  'administrator',
  'administrador',
  'admin',
  'operator',
  'viewer',
  'root',
  'changeme',
  'letmein',
  'welcome',
  'willkommen',
  'default',
  'secret',
  'iloveyou',
  'trustno1',
  'monkey',
  'dragon',
  'sunshine',
  'princess',
  'football',
  'baseball',
  'superman',
  'batman',
  'starwars',
  'master',
  'shadow',
  'michael',
  'jennifer',
  'hunter2',
  'correcthorsebatterystaple',
  'whatever',
  'computer',
  'internet',
  'summer',
  'winter',
  'spring',
  'autumn',
  'qwertyuiop',
  'qwerty',
  'qwertz',
  'azerty',
  'asdfghjkl',
  'asdfgh',
  'zxcvbnm',
  '1q2w3e4r5t6y',
  '1q2w3e4r',
  '1qaz2wsx',
  'qazwsx',
  'abc123',
  'abcdefghijklmnopqrstuvwxyz',
  'abcdef',
  '01234567890',
  '1234567890',
  '123456',
  '9876543210',
  '654321',
  '111111',
  '000000',
  '123123',
  'test',
].sort((a, b) => b.length - a.length);

/** How many characters must remain when the common words are removed. */
const UNCOMMON_CHARS_MIN = 6;
const DISTINCT_MIN = 5;
/** Two common passwords with little else are quickly guessed; three make a passphrase. */
const COMMON_WORDS_MAX = 2;

const GUESSABLE = 'This password is easy to guess: use less common words, or more characters.';

/**
 * Refuses a password that is easily guessed: short, common, or made of one or two common passwords,
 * words of this product or the user's own name. Does not require kinds of characters. Throws
 * `INVALID` with a message for the user.
 */
export function checkPassword(password: string, userName: string): void {
  const weakness = weaknessOf(password, userName);
  if (weakness) throw new LockyardError('INVALID', weakness);
}

function weaknessOf(password: string, userName: string): string | null {
  // Encoded for hashing, every half of a surrogate pair becomes the same character.
  if (!password.isWellFormed()) return 'The password must be well-formed Unicode.';
  const chars = [...password];
  if (chars.length < PASSWORD_MIN_CHARS) {
    return `The password must have at least ${PASSWORD_MIN_CHARS} characters.`;
  }
  if (new Set(chars).size < DISTINCT_MIN) {
    return 'This password has too few different characters.';
  }
  const name = userName.toLowerCase();
  const words = name.length >= 3 ? [name, ...COMMON] : COMMON;
  const own = words.reduce((rest, word) => rest.replaceAll(word, ''), password.toLowerCase());
  if ([...own].length < UNCOMMON_CHARS_MIN) return GUESSABLE;
  return countUncommonChars(password, COMMON_WORDS_MAX) < UNCOMMON_CHARS_MIN ? GUESSABLE : null;
}

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
function countUncommonChars(password: string, wordsMax: number): number {
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
