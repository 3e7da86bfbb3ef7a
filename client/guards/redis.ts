import { createHash } from 'node:crypto';
import { InvalidGuard, refuseUnknownFields, type Stale, validToken } from './guarded-write';

/** Guarded writes for Redis 3.2 and newer, and Valkey: the subpath `lockyard/guards/redis`. */

export type { Stale } from './guarded-write';
export { InvalidGuard } from './guarded-write';

/** The methods used of an `ioredis` client or cluster. */
export interface IoredisClient {
  evalsha(sha: string, keyCount: number, ...args: (string | Buffer)[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...args: (string | Buffer)[]): Promise<unknown>;
}

/** The methods used of a client or cluster of `redis` (node-redis) 4 and newer. */
export interface NodeRedisClient {
  // biome-ignore lint/suspicious/noExplicitAny: node-redis types vary by version
  evalSha(sha: string, options: any): Promise<unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: node-redis types vary by version
  eval(script: string, options: any): Promise<unknown>;
}

/** A key, its new value, and the token that guards the write. */
export interface GuardedSet {
  key: string;
  /** The value to store; null deletes the key. The fence stays. */
  value: string | Buffer | null;
  /** The fencing token of the hold: a positive integer below 2^53. */
  token: number;
  /**
   * How long the value lasts, in milliseconds: a positive integer. Without it, the value does not
   * expire. The fence never does.
   */
  expireMs?: number | undefined;
  /**
   * The key that stores the highest token seen. It needs the same hash tag, so that a cluster
   * stores both keys in one slot. Default: `{key}:fence`, or `key:fence` for a key that has a tag.
   * Keys need a tag if the client adds a prefix to them.
   */
  fenceKey?: string | undefined;
}

/**
 * `applied`: written; the fence is now the token. `stale`: a higher token has written before;
 * nothing was changed.
 */
export type SetOutcome = { outcome: 'applied' } | Stale;

const FIELDS: Record<keyof GuardedSet, true> = {
  key: true,
  value: true,
  token: true,
  expireMs: true,
  fenceKey: true,
};

/**
 * Writes a key, unless a higher token has written it: one Lua script, which Redis runs atomically.
 * It guards only against writers that use it: a plain SET bypasses the check.
 *
 * A server that loses or evicts the fence loses the highest token seen: store it under
 * `noeviction`, as durably as the value. After a failover a replica may have an older fence.
 *
 * Rejects with `InvalidGuard`, and with the client's errors.
 */
export async function guardedSet(
  redis: IoredisClient | NodeRedisClient,
  write: GuardedSet,
): Promise<SetOutcome> {
  refuseUnknownFields(write, FIELDS);
  const { key, value, token, expireMs, fenceKey = fenceKeyOf(key) } = write;
  if (hashedPart(fenceKey) !== hashedPart(key)) {
    throw new InvalidGuard(`"${key}" and its fence "${fenceKey}" have different hash tags.`);
  }
  if (fenceKey === key) throw new InvalidGuard('A fence needs a key of its own.');
  if (expireMs !== undefined && !(Number.isSafeInteger(expireMs) && expireMs > 0)) {
    throw new InvalidGuard(`expireMs is a positive integer, not ${String(expireMs)}.`);
  }
  const tokenText = String(validToken(token));
  const action = value === null ? 'del' : 'set';
  const seen = await run(
    redis,
    [fenceKey, key],
    [tokenText, action, value ?? '', String(expireMs ?? 0)],
  );
  const seenToken = Number(seen);
  return seenToken > token ? { outcome: 'stale', seenToken } : { outcome: 'applied' };
}

/**
 * KEYS[1] the highest token that has written, as decimal digits; never expires
 * KEYS[2] the guarded key
 * ARGV[1] the token
 * ARGV[2] `set` or `del`
 * ARGV[3] the value to set
 * ARGV[4] how many milliseconds it lasts; 0: it does not expire
 *
 * Returns the highest token, as text. Tokens are below 2^53, so that Lua's numbers are exact.
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

/** Runs the script by its digest; sends the whole script if the server does not know it yet. */
async function run(
  redis: IoredisClient | NodeRedisClient,
  keys: string[],
  args: (string | Buffer)[],
): Promise<unknown> {
  const call = (how: 'digest' | 'whole') => {
    if ('evalSha' in redis) {
      const options = { keys, arguments: args };
      return how === 'digest' ? redis.evalSha(SHA, options) : redis.eval(SCRIPT, options);
    }
    const all = [...keys, ...args];
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
 * The part of a key that decides its slot: the text between its first `{` and the next `}`, unless
 * that is empty; otherwise the whole key.
 */
function hashedPart(key: string): string {
  return /^[^{]*\{([^}]+)\}/.exec(key)?.[1] ?? key;
}

function fenceKeyOf(key: string): string {
  const hasTag = hashedPart(key) !== key;
  return hasTag ? `${key}:fence` : `{${key}}:fence`;
}
