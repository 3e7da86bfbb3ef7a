/**
 * Where the store keeps what: all under one hash tag, so that a cluster has it on one node and one script may use it all.
 * Two installations on one Redis use two of its databases.
 */
export const KEYS = {
  /** A hash: which life this is, its beat, how many records there are, the last number of the history. */
  marker: '{lockyard}:life',
  /** A sorted set of the ids of all records. */
  ids: '{lockyard}:ids',
  /** A stream. */
  history: '{lockyard}:h',
} as const;

/** What the keys of records, of their queues and of remembered answers begin with. */
export const PREFIX = {
  record: '{lockyard}:r:',
  queue: '{lockyard}:w:',
  answer: '{lockyard}:q:',
} as const;
