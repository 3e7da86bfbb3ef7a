import { rectifyConfusion } from 'unicode-confusables';
import { LockyardError } from '../contract/errors';

/** What the audit log and the pages call what is no person, without the signs between words. */
const SYSTEM_NAMES = ['commandline', 'system', 'thesystem', 'server', 'unknown', 'cli'];
/** Part of whatever this product would call itself. */
const PRODUCT = 'lockyard';

/** Alphabets with letters that look like those of another one. */
const ALPHABETS = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'].map(
  (name) => new RegExp(`\\p{Script=${name}}`, 'u'),
);

/**
 * Refuses a name for a new user that could be mistaken for the system or for another user: in another case, in letters
 * that look alike, or in letters of several alphabets.
 *
 * @param others the names of all users; the very same name is not looked at: a unique index refuses it
 * @throws LockyardError `INVALID`, or `CONFLICT` for another user's
 */
export function checkUserName(name: string, others: readonly string[]): void {
  if (ALPHABETS.filter((alphabet) => alphabet.test(name)).length > 1) {
    throw invalid('A user name must keep to the letters of one alphabet.');
  }
  const looks = looksOf(name);
  if (looks.some(isSystem)) {
    throw invalid(`"${name}" looks like a name of the system; choose another one.`);
  }
  const alike = others.find(
    (other) => other !== name && looksOf(other).some((look) => looks.includes(look)),
  );
  if (alike === undefined) return;
  const message = `"${name}" could be mistaken for "${alike}", who is a user already; choose another name.`;
  throw new LockyardError('CONFLICT', message);
}

/**
 * What a name looks like, as Unicode's table of confusable letters has it: once as it is (`Ian` looks like `lan`), and
 * once in small letters (`Ian` is `ian`).
 */
function looksOf(name: string): string[] {
  const plain = name.normalize('NFKC').replace(/\s+/g, ' ');
  return [plain, plain.toLowerCase()].map((text) => skeleton(text));
}

function skeleton(text: string): string {
  const look = rectifyConfusion(text.normalize('NFD')).normalize('NFD').toLowerCase();
  // A small i has its dot, whether or not it is written.
  return look.replaceAll('i\u0307', 'i');
}

const SYSTEM_LOOKS = new Set(SYSTEM_NAMES.map(skeleton));
const PRODUCT_LOOK = skeleton(PRODUCT);

function isSystem(look: string): boolean {
  const letters = look.replace(/[ ._@-]/g, '');
  return SYSTEM_LOOKS.has(letters) || letters.includes(PRODUCT_LOOK);
}

function invalid(message: string): LockyardError {
  return new LockyardError('INVALID', message);
}
