/**
 * The kinds of calls to which a key can be limited. `acquire` includes cancelling one's own
 * acquire; `read` is every call that changes nothing, of locks and counters.
 */
export const KEY_VERBS = ['acquire', 'renew', 'release', 'read', 'count'] as const;
export type KeyVerb = (typeof KEY_VERBS)[number];

/** What each verb allows, in words. */
export const KEY_VERB_LABELS: Record<KeyVerb, string> = {
  acquire: 'acquire locks, and cancel an acquire',
  renew: 'renew leases',
  release: 'release locks',
  read: 'inspect, list, watch and check locks, read counters',
  count: 'create counters and add to them',
};

/** A key that expires within this time is marked, and counted by a metric. */
export const KEY_EXPIRES_SOON_MS = 14 * 24 * 60 * 60_000;
