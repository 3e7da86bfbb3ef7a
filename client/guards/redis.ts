/** Guarded writes for Redis 3.2 and newer, and Valkey: the subpath `lockyard/guards/redis`. */
import { createHash } from 'node:crypto';
import { type Stale, sureToken } from './guarded-write';
import { InvalidGuard } from './invalid-guard';

export type { Stale } from './guarded-write';
export { InvalidGuard } from './invalid-guard';

/** What is used of an `ioredis` client or cluster. */
export interface IoredisClient {
  evalsha(sha: string, keyCount: number, ...words: (string | Buffer)[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...words: (string | Buffer)[]): Promise<unknown>;
}

/** What is used of a client or cluster of `redis` (node-redis) 4 and newer. */
export interface NodeRedisClient {
  // biome-ignore lint/suspicious/noExplicitAny: node-redis types vary by version
  evalSha(sha: string, options: any): Promise<unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: node-redis types vary by version
  eval(script: string, options: any): Promise<unknown>;
}

/** One key, what to write there, and the token that must not be stale. */
export interface GuardedSet {
  key: string;
  /** What to keep under the key; null deletes it. The fence stays. */
  value: string | Buffer | null;
  /** The fencing token of the hold: a positive integer below 2^53. */
  token: number;
  /**
   * How long the value lasts, a positive integer; for ever unless given. The fence never expires.
   */
  expireMs?: number | undefined;
  /**
   * Where the highest token seen is kept: a key with the same hash tag, so that a cluster has both
   * in one place. Default: `{key}:fence`, or `key:fence` for a key that has a tag, as it should
   * where a client puts a prefix before its keys.
   */
  fenceKey?: string | undefined;
}

/**
 * `applied`: written, and the fence is the token now. `stale`: a higher token has written; nothing
 * was changed.
 */
export type SetOutcome = { outcome: 'applied' } | Stale;

/**
 * Writes a key, unless a higher token has written it: one Lua script, which Redis runs alone. It
 * guards only against writers that use it: a plain SET bypasses the check.
 *
 * A server that loses or evicts the fence forgets what it has seen: keep it under `noeviction`,
 * with the durability that the value has. After a failover a replica may know an older fence.
 *
 * Rejects with `InvalidGuard`, and with any error of the client.
 */
export async function guardedSet(
  redis: IoredisClient | NodeRedisClient,
  { key, value, token, expireMs, fenceKey = fenceKeyOf(key) }: GuardedSet,
): Promise<SetOutcome> {
  if (hashedPart(fenceKey) !== hashedPart(key)) {
    throw new InvalidGuard(`"${key}" and its fence "${fenceKey}" have different hash tags.`);
  }
  if (fenceKey === key) throw new InvalidGuard('A fence needs a key of its own.');
  if (expireMs !== undefined && !(Number.isSafeInteger(expireMs) && expireMs > 0)) {
    throw new InvalidGuard(`expireMs is a positive integer, not ${String(expireMs)}.`);
  }
  const word = String(sureToken(token));
  const act = value === null ? 'del' : 'set';
  const seen = await run(redis, [fenceKey, key], [word, act, value ?? '', String(expireMs ?? 0)]);
  const seenToken = Number(seen);
  return seenToken > token ? { outcome: 'stale', seenToken } : { outcome: 'applied' };
}

/**
 * KEYS[1] the highest token that has written, as decimal digits; never expires KEYS[2] the guarded
 * key ARGV[1] the token ARGV[2] `set` or `del` ARGV[3] the value to set ARGV[4] how many
 * milliseconds it lasts; 0 for ever
 *
 * Returns the highest token, as a text. Tokens are below 2^53, so that Lua's numbers hold them
 * exactly.
 */
const SCRIPT = `
local seen = redis.call('GET', KEYS[1])
if seen and tonumber(seen) > tonumber(ARGV[1]) then
  return seen
end
redis.call('SET', KEYS[1], ARGV[1])
if ARGV[2] == 'del' then
  redis.call('DEL', KEYS[2])
elseif ARGV[4] == '0' then
  redis.call('SET', KEYS[2], ARGV[3])
else
  redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
end
return ARGV[1]
`;

const SHA = createHash('sha1').update(SCRIPT).digest('hex');

/** By its digest; where the server does not know it yet, whole. */
async function run(
  redis: IoredisClient | NodeRedisClient,
  keys: string[],
  words: (string | Buffer)[],
): Promise<unknown> {
  const call = (how: 'digest' | 'whole') => {
    if ('evalSha' in redis) {
      const options = { keys, arguments: words };
      return how === 'digest' ? redis.evalSha(SHA, options) : redis.eval(SCRIPT, options);
    }
    const all = [...keys, ...words];
    return how === 'digest'
      ? redis.evalsha(SHA, keys.length, ...all)
      : redis.eval(SCRIPT, keys.length, ...all);
  };
  try {
    return await call('digest');
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return call('whole');
  }
}

/**
 * The part of a key that decides its slot: between its first `{` and the next `}`, unless there is
 * nothing; else all.
 */
function hashedPart(key: string): string {
  return /^[^{]*\{([^}]+)\}/.exec(key)?.[1] ?? key;
}

function fenceKeyOf(key: string): string {
  const hasTag = hashedPart(key) !== key;
  return hasTag ? `${key}:fence` : `{${key}}:fence`;
}
