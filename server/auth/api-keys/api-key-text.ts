import { hashText } from '../hash-text';
import { randomText } from '../random-text';

const ID_CHARS = 12;
/** 238 bits. */
const SECRET_CHARS = 40;
const CHECKSUM_CHARS = 6;

/**
 * How a key begins: without limits, and with limits. A version that does not know limits refuses
 * the second instead of treating it as a key without limits.
 */
const FORMS = { plain: 'lyk', limited: 'lyl' } as const;
export type ApiKeyForm = keyof typeof FORMS;

const SHAPE = new RegExp(
  `^(lyk|lyl)_([0-9A-Za-z]{${ID_CHARS}})_([0-9A-Za-z]{${SECRET_CHARS}})([0-9a-f]{${CHECKSUM_CHARS}})$`,
);

/** The parts of an API key. */
export interface ApiKeyText {
  form: ApiKeyForm;
  /** Public: identifies the key in lists and in the audit log. */
  id: string;
  /** What is stored instead of the secret. */
  secretHash: string;
}

/**
 * A new API key: `lyk_<id>_<secret><checksum>`, or `lyl_…` with limits. The whole text is shown
 * once and never stored.
 */
export function newApiKey(form: ApiKeyForm = 'plain'): ApiKeyText & { key: string } {
  const id = randomText(ID_CHARS);
  const secret = randomText(SECRET_CHARS);
  const unchecked = `${FORMS[form]}_${id}_${secret}`;
  return { form, id, secretHash: storedHash(form, secret), key: unchecked + checksum(unchecked) };
}

/** Splits a key into its parts, without a query; null if it cannot be a key. */
export function parseApiKey(text: string): ApiKeyText | null {
  const [, begin, id, secret, sum] = SHAPE.exec(text) ?? [];
  if (!id || !secret || sum !== checksum(`${begin}_${id}_${secret}`)) return null;
  const form = begin === FORMS.limited ? 'limited' : 'plain';
  return { form, id, secretHash: storedHash(form, secret) };
}

/** Differs between the forms: rewriting the beginning of a key does not lift its limits. */
const storedHash = (form: ApiKeyForm, secret: string) =>
  hashText(form === 'limited' ? `limited:${secret}` : secret);

const checksum = (text: string) => hashText(text).slice(0, CHECKSUM_CHARS);
