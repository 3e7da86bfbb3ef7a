import { z } from 'zod';
import { KEY_VERBS, type KeyVerb } from './key-verbs';
import { lockPrefix } from './primitives';

/** The prefix of all names that a key may use, compared byte by byte. Absent: all names. */
export const keyPrefix = lockPrefix.refine(
  (text) => text !== '',
  'must not be empty; leave it out for all names',
);

export const keyVerbs = z
  .array(z.enum(KEY_VERBS))
  .min(1, 'must name at least one verb')
  .refine((verbs) => new Set(verbs).size === verbs.length, 'must not name a verb twice')
  // In one order, so that two lists of the same verbs are equal.
  .transform((verbs) => KEY_VERBS.filter((verb) => verbs.includes(verb)));

/** The limits of a key within its namespaces. An absent field is no limit. */
export interface KeyLimits {
  prefix?: string;
  /** In the order of `KEY_VERBS`. */
  verbs?: KeyVerb[];
}

/** How long the old secret is accepted after a rotation, unless the caller says otherwise. */
export const KEY_GRACE_MS = 24 * 60 * 60_000;
export const KEY_GRACE_MAX_MS = 30 * KEY_GRACE_MS;

/** What a key lacks for a call, or why it is not accepted: `error.data.detail` of 403 and 401. */
export type KeyDetail =
  | 'keyExpired'
  | 'keyRevoked'
  | 'missingNamespace'
  | 'missingPrefix'
  | 'missingVerb';

/** The description of `detail` for callers. */
export const KEY_DETAIL_LABEL =
  'What is wrong with the API key. With 401: `keyExpired` or `keyRevoked`. With 403, what it ' +
  'lacks: `missingNamespace`, `missingPrefix` or `missingVerb`.';
