import { hashText } from '../hash-text';
import { randomText } from '../random-text';

const ID_CHARS = 12;
/** 238 bits. */
const SECRET_CHARS = 40;
const CHECKSUM_CHARS = 6;
const SHAPE = new RegExp(
  `^lyk_([0-9A-Za-z]{${ID_CHARS}})_([0-9A-Za-z]{${SECRET_CHARS}})([0-9a-f]{${CHECKSUM_CHARS}})$`,
);

/** The parts of an API key. */
export interface ApiKeyText {
  /** Public: identifies the key in lists and in the audit log. */
  id: string;
  /** What is stored instead of the secret. */
  secretHash: string;
}

/** A new API key: `lyk_<id>_<secret><checksum>`. The whole text is shown once and never stored. */
export function newApiKey(): ApiKeyText & { key: string } {
  const id = randomText(ID_CHARS);
  const secret = randomText(SECRET_CHARS);
  const unchecked = `lyk_${id}_${secret}`;
  return { id, secretHash: hashText(secret), key: unchecked + checksum(unchecked) };
}

/** Splits a key into its parts, without a query; null if it cannot be a key. */
export function parseApiKey(text: string): ApiKeyText | null {
  const [, id, secret, sum] = SHAPE.exec(text) ?? [];
  if (!id || !secret || sum !== checksum(`lyk_${id}_${secret}`)) return null;
  return { id, secretHash: hashText(secret) };
}

const checksum = (text: string) => hashText(text).slice(0, CHECKSUM_CHARS);
