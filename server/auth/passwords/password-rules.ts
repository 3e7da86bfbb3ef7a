import { PASSWORD_MIN_CHARS } from '../../contract/console/console-terms';
import { LockyardError } from '../../contract/errors';
import { countUncommonChars } from './common-passwords';

/**
 * Words that do not count wherever they occur: those of this product, and the most common parts of
 * passwords.
 */
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

const GUESSABLE = 'This password is made of words that guessers try first; use other words.';

/**
 * Refuses a password that is easily guessed: short, common, or made of one or two common passwords,
 * words of this product or the user's own name. Does not require kinds of characters. Throws
 * `INVALID` with a message for the user.
 */
export function checkPassword(password: string, userName: string): void {
  const complaint = weaknessOf(password, userName);
  if (complaint) throw new LockyardError('INVALID', complaint);
}

function weaknessOf(password: string, userName: string): string | null {
  const chars = [...password];
  if (chars.length < PASSWORD_MIN_CHARS) {
    return `A password needs at least ${PASSWORD_MIN_CHARS} characters.`;
  }
  if (new Set(chars).size < DISTINCT_MIN) {
    return 'This password repeats too few characters.';
  }
  const name = userName.toLowerCase();
  const words = name.length >= 3 ? [name, ...COMMON] : COMMON;
  const own = words.reduce((rest, word) => rest.replaceAll(word, ''), password.toLowerCase());
  if ([...own].length < UNCOMMON_CHARS_MIN) return GUESSABLE;
  return countUncommonChars(password, COMMON_WORDS_MAX) < UNCOMMON_CHARS_MIN ? GUESSABLE : null;
}
