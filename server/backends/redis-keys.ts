/**
 * The keys of the store, all under one hash tag: a cluster keeps them on one node, so that one script may use them all. Two
 * installations on one Redis use two of its databases.
 */
export class RedisKeys {
  /** A hash: which life this is, its beat, how many records there are, the last number of the history. */
  readonly marker = `${TAG}:life`;
  /** A sorted set of the ids of all records. */
  readonly ids = `${TAG}:ids`;
  /** A stream. */
  readonly history = `${TAG}:h`;
  /** What `SCAN` is to match. */
  readonly recordPattern = `${RECORDS}*`;

  record(id: string): string {
    return RECORDS + id;
  }

  /** Only records that have a queue have such a key. */
  queue(id: string): string {
    return QUEUES + id;
  }

  answer(requestKey: string): string {
    return ANSWERS + requestKey;
  }

  idOf(recordKey: string): string {
    return recordKey.slice(RECORDS.length);
  }
}

const TAG = '{lockyard}';
const RECORDS = `${TAG}:r:`;
const QUEUES = `${TAG}:w:`;
const ANSWERS = `${TAG}:q:`;
