import { hashText } from '../hash-text';
import { randomText } from '../random-text';

const ID_CHARS = 12;
/** 238 bits. */
const SECRET_CHARS = 40;
const CHECKSUM_CHARS = 6;
const SHAPE = new RegExp(
  `^lyk_([0-9A-Za-z]{${ID_CHARS}})_([0-9A-Za-z]{${SECRET_CHARS}})([0-9a-f]{${CHECKSUM_CHARS}})$`,
);

/** An API key taken apart. */
export interface ApiKeyText {
  /** Public: names the key in lists and in the audit log. */
  id: string;
  /** What is stored instead of the secret. */
  secretHash: string;
}

/** A new API key: `lyk_<id>_<secret><checksum>`. The whole text is shown once and kept nowhere. */
export function newApiKey(): ApiKeyText & { key: string } {
  const id = randomText(ID_CHARS);
  const secret = randomText(SECRET_CHARS);
  const unchecked = `lyk_${id}_${secret}`;
  return { id, secretHash: hashText(secret), key: unchecked + checksum(unchecked) };
}

/** Takes a key apart; null when it cannot be one, such as when a letter of it was lost. Asks nobody. */
export function parseApiKey(text: string): ApiKeyText | null {
  const [, id, secret, sum] = SHAPE.exec(text) ?? [];
  if (!id || !secret || sum !== checksum(`lyk_${id}_${secret}`)) return null;
  return { id, secretHash: hashText(secret) };
}

const checksum = (text: string) => hashText(text).slice(0, CHECKSUM_CHARS);
