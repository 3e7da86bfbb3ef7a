import { rectifyConfusion } from 'unicode-confusables';
import { LockyardError } from '../contract/errors';

/** Names that the audit log, histories and pages use for non-human actors, without separators. */
const SYSTEM_NAMES = [
  'commandline',
  'system',
  'thesystem',
  'server',
  'unknown',
  'cli',
  // Who ended a hold, in the history of its lock.
  'restore',
  'reshard',
];
/** Occurs in every name that this product might use for itself. */
const PRODUCT = 'lockyard';

/** Alphabets with letters that look like letters of another one. */
const ALPHABETS = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'].map(
  (name) => new RegExp(`\\p{Script=${name}}`, 'u'),
);

/**
 * Refuses a name for a new user that could be mistaken for the system or another user: different
 * only in case, made of similar letters, or mixing alphabets.
 *
 * @param others the names of all users; an identical name is not checked here: a unique index
 *   refuses it
 * @throws LockyardError `INVALID`, or `CONFLICT` for another user's
 */
export function checkUserName(name: string, others: readonly string[]): void {
  if (ALPHABETS.filter((alphabet) => alphabet.test(name)).length > 1) {
    throw invalid('A user name must use letters of one alphabet only.');
  }
  const looks = skeletonsOf(name);
  if (looks.some(isSystem)) {
    throw invalid(`"${name}" looks like a system name. Choose another one.`);
  }
  const alike = others.find(
    (other) => other !== name && skeletonsOf(other).some((look) => looks.includes(look)),
  );
  if (alike === undefined) return;
  const message = `"${name}" looks like the existing user "${alike}". Choose another name.`;
  throw new LockyardError('CONFLICT', message);
}

/**
 * What a name looks like by Unicode's table of confusable letters: as written (`Ian` looks like
 * `lan`), and in lower case (`Ian` is `ian`).
 */
function skeletonsOf(name: string): string[] {
  const plain = name.normalize('NFKC').replace(/\s+/g, ' ');
  return [plain, plain.toLowerCase()].map((text) => skeleton(text));
}

function skeleton(text: string): string {
  const look = rectifyConfusion(text.normalize('NFD')).normalize('NFD').toLowerCase();
  // Treats an i with an explicit combining dot like a plain i.
  return look.replaceAll('i\u0307', 'i');
}

const SYSTEM_SKELETONS = new Set(SYSTEM_NAMES.map(skeleton));
const PRODUCT_SKELETON = skeleton(PRODUCT);

function isSystem(look: string): boolean {
  const letters = look.replace(/[ ._@-]/g, '');
  return SYSTEM_SKELETONS.has(letters) || letters.includes(PRODUCT_SKELETON);
}

function invalid(message: string): LockyardError {
  return new LockyardError('INVALID', message);
}
