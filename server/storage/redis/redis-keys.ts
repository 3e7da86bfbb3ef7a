/**
 * Where the store keeps its data: all under one hash tag, so that a cluster stores it on one node
 * and one script may use all of it. Two installations on one Redis use two of its databases.
 */
export const KEYS = {
  /**
   * A hash: the current incarnation, its heartbeat, the number of records, the last number of the
   * history.
   */
  marker: '{lockyard}:life',
  /** A sorted set of the ids of all records. */
  ids: '{lockyard}:ids',
  /** A stream. */
  history: '{lockyard}:h',
} as const;

/** Prefixes of the keys of records, of their queues and of remembered answers. */
export const PREFIX = {
  record: '{lockyard}:r:',
  queue: '{lockyard}:w:',
  answer: '{lockyard}:q:',
} as const;
