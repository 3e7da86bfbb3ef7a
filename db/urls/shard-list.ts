import { createHash } from 'node:crypto';
import { mysqlLocation, parseBackendUrl } from './backend-url';

/** One of several databases that hold a backend's locks. */
export interface Shard {
  /** `host:port/database`: shown to people, and the key by which locks are distributed. */
  name: string;
  /** Contains the password. */
  url: string;
  /** The id of history and roll-ups: the backend's id, a dot, six letters of its name's hash. */
  id: string;
}

/** The databases that hold one backend's locks. */
export interface ShardList {
  /** Sorted by name. */
  shards: Shard[];
  /** Databases that a reshard is to empty; the new list assigns no locks to them. */
  leaving: Shard[];
  /** Identifies the list: derived from the names of `shards`, in any order. */
  fingerprint: string;
}

const SHARDS_MIN = 2;
const SHARDS_MAX = 32;
const LEAVING = 'leaving:';

/** How much longer a shard's id is than the backend's, which must leave room for it. */
export const SHARD_SUFFIX_CHARS = 7;

/** Whether a text names several databases, not one. A comma in a password separates nothing. */
export function isShardList(text: string): boolean {
  return split(text).length > 1 || text.trimStart().startsWith(LEAVING);
}

/**
 * Parses `mysql://…,mysql://…`. `leaving:` marks a database that a reshard is to empty.
 *
 * @returns the list, or what is wrong with it as the end of a sentence that begins with the
 *   variable's name
 */
export function parseShardList(backend: string, text: string): ShardList | string {
  const [shards, leaving]: [Shard[], Shard[]] = [[], []];
  for (const part of split(text)) {
    const isLeaving = part.startsWith(LEAVING);
    const url = parseBackendUrl(isLeaving ? part.slice(LEAVING.length) : part, '/');
    if (typeof url === 'string') return `names a shard that ${url}`;
    if (url.kind !== 'mysql') return 'must name only MySQL databases if it names several';
    const name = mysqlLocation(url.url);
    const id = `${backend}.${hashed(name).slice(0, SHARD_SUFFIX_CHARS - 1)}`;
    (isLeaving ? leaving : shards).push({ name, url: url.url, id });
  }
  const all = [...shards, ...leaving];
  if (shards.length < SHARDS_MIN || shards.length > SHARDS_MAX) {
    return `must name ${SHARDS_MIN} to ${SHARDS_MAX} shards; it names ${shards.length}`;
  }
  const twice = all.find(({ name }, i) => all.findIndex((other) => other.name === name) !== i);
  if (twice) return `names ${twice.name} twice`;
  if (new Set(all.map(({ id }) => id)).size < all.length) {
    return (
      'names shards that the hash of their names does not distinguish; rename one of the ' +
      'databases'
    );
  }
  const byName = (a: Shard, b: Shard) => (a.name < b.name ? -1 : 1);
  shards.sort(byName);
  const names = shards.map(({ name }) => name);
  return { shards, leaving: leaving.sort(byName), fingerprint: hashed(names.join('\n')) };
}

function split(text: string): string[] {
  // A digit after the colon is a port: the servers of one ZooKeeper are separated by commas too.
  return text.split(/,(?=\s*(?:leaving:)?[a-z]+:(?!\d))/i).map((part) => part.trim());
}

function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
