import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** One value of a script's answer. */
export type Reply = string | number | null | Reply[];

/** A constant Lua script. What it works on comes in as `KEYS` and `ARGV` alone, never as part of its text. */
export class RedisScript {
  private readonly sha: string;

  constructor(private readonly lua: string) {
    this.sha = createHash('sha1').update(lua).digest('hex');
  }

  /** Runs it by its name; a server that has forgotten it has run nothing, and is sent the whole. */
  async run(redis: Redis, keys: string[], args: (string | number)[]): Promise<Reply> {
    const rest = [keys.length, ...keys, ...args];
    try {
      return (await redis.call('EVALSHA', this.sha, ...rest)) as Reply;
    } catch (error) {
      if (!String((error as Error).message).startsWith('NOSCRIPT')) throw error;
      return (await redis.call('EVAL', this.lua, ...rest)) as Reply;
    }
  }
}

/** Begins every refusal of ours; what follows says what is wrong with the store's memory. */
export const REFUSAL = 'LOCKYARD';

/**
 * The first lines of every script: `KEYS[1]` is the marker, `KEYS[2]` the list of ids; `ARGV[1]` and `ARGV[2]` are the
 * life and the beat that the caller was admitted with. Where the store's memory is not the one it was, nothing happens.
 */
const CHECK = `
local marker = redis.call('HMGET', KEYS[1], 'life', 'beat', 'count')
if marker[1] ~= ARGV[1] then return redis.error_reply('${REFUSAL} life') end
if (tonumber(marker[2]) or -1) < tonumber(ARGV[2]) then return redis.error_reply('${REFUSAL} beat') end
if redis.call('ZCARD', KEYS[2]) ~= tonumber(marker[3]) then return redis.error_reply('${REFUSAL} records') end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/**
 * Records and remembered answers, with the clock.
 *
 * KEYS: marker, ids; a key a record; the key of each one's queue; the keys of answers. ARGV: life, beat, how many records,
 * their ids. Answers now; then of each record its text and its queue; then of each answer its text and its expiry.
 */
export const READ = new RedisScript(`#!lua flags=no-writes
${CHECK}
local out, n = { now }, tonumber(ARGV[3])
local values = n > 0 and redis.call('MGET', unpack(KEYS, 3, 2 + n)) or {}
for i = 1, n do
  local value, queue = values[i], ''
  if value and string.byte(value) == 113 then
    queue = redis.call('GET', KEYS[2 + n + i])
    if not queue then return redis.error_reply('${REFUSAL} records') end
  elseif not value and redis.call('ZSCORE', KEYS[2], ARGV[3 + i]) then
    return redis.error_reply('${REFUSAL} records')
  end
  out[2 * i], out[2 * i + 1] = value, queue
end
local last = 1 + 2 * n
for i = 3 + 2 * n, #KEYS do
  out[last + 1], out[last + 2] = redis.call('GET', KEYS[i]), redis.call('PEXPIRETIME', KEYS[i])
  last = last + 2
end
return out
`);

/** The arguments of one change in `SWAP`, before those of its answers. */
const SWAP_FIELDS = 9;

/**
 * Swaps. Everything that can fail comes before the first write, so a refusal has changed nothing.
 *
 * KEYS: marker, ids, history; a key a record; the key of each one's queue; then change by change the keys of the answers
 * that it keeps and of those that it makes live longer. ARGV: life, beat, `all` or `each`, the history's text or nothing,
 * how many changes; then `SWAP_FIELDS` a change: id, what is expected (nothing: no record), past, ahead, text, queue
 * (`=`: as it is; else a sign and the queue), writer, number of answers kept, number of answers extended; then text and
 * expiry of each answer kept and expiry of each one extended, change by change. Answers now; then of each change 1 if
 * it took, else the rev and writer of the record that stands, or nothing.
 */
export const SWAP = new RedisScript(`#!lua
${CHECK}
local n, all = tonumber(ARGV[5]), ARGV[3] == 'all'
local values = redis.call('MGET', unpack(KEYS, 4, 3 + n))
local out, writers, whole = { now }, {}, true
for i = 1, n do
  local at, value = ${SWAP_FIELDS} * i - 4, values[i]
  local expected = ARGV[at + 2]
  local took = now >= tonumber(ARGV[at + 3]) and now < tonumber(ARGV[at + 4])
  if value then
    took = took and expected ~= '' and string.sub(value, 2, #expected + 1) == expected
  else
    took = took and expected == ''
    if redis.call('ZSCORE', KEYS[2], ARGV[at + 1]) then return redis.error_reply('${REFUSAL} records') end
  end
  if took then
    out[1 + i] = 1
    writers[#writers + 1] = ARGV[at + 7]
  else
    out[1 + i], whole = value and string.match(value, '^.(%S+ %S+)') or false, false
  end
end
if #writers == 0 then return out end
if all and not whole then
  for i = 1, n do
    out[1 + i] = values[i] and string.match(values[i], '^.(%S+ %S+)') or false
  end
  return out
end
if ARGV[4] ~= '' then
  local id = redis.call('HINCRBY', KEYS[1], 'history', 1)
  redis.call('XADD', KEYS[3], string.format('%.0f-0', id), 'at', now, 'changes', ARGV[4], 'took', table.concat(writers, ','))
end
local key, arg, born = 3 + 2 * n, 5 + ${SWAP_FIELDS} * n, 0
for i = 1, n do
  local at, value = ${SWAP_FIELDS} * i - 4, values[i]
  local kept, extended = tonumber(ARGV[at + 8]), tonumber(ARGV[at + 9])
  if out[1 + i] == 1 then
    local queue, flag = ARGV[at + 6], '-'
    local had = value and string.byte(value) == 113
    if queue == '=' then
      flag = had and 'q' or '-'
    elseif queue ~= '+' then
      flag = 'q'
      redis.call('SET', KEYS[3 + n + i], string.sub(queue, 2))
    elseif had then
      redis.call('DEL', KEYS[3 + n + i])
    end
    redis.call('SET', KEYS[3 + i], flag .. ARGV[at + 5])
    if not value then born = born + redis.call('ZADD', KEYS[2], 0, ARGV[at + 1]) end
    for k = 1, kept do
      redis.call('SET', KEYS[key + k], ARGV[arg + 2 * k - 1], 'PXAT', ARGV[arg + 2 * k])
    end
    for k = 1, extended do
      redis.call('PEXPIREAT', KEYS[key + kept + k], ARGV[arg + 2 * kept + k], 'GT')
    end
  end
  key, arg = key + kept + extended, arg + 2 * kept + extended
end
if born > 0 then redis.call('HINCRBY', KEYS[1], 'count', born) end
return out
`);

/**
 * Removes records that are still as they were seen.
 *
 * KEYS: marker, ids; a key a record; the key of each one's queue. ARGV: life, beat, how many; of each its id and what it
 * is expected to be. Answers how many are gone.
 */
export const FORGET = new RedisScript(`#!lua
${CHECK}
local n, gone = tonumber(ARGV[3]), 0
for i = 1, n do
  local value, expected = redis.call('GET', KEYS[2 + i]), ARGV[3 + 2 * i]
  if value and string.sub(value, 2, #expected + 1) == expected then
    redis.call('DEL', KEYS[2 + i], KEYS[2 + n + i])
    gone = gone + redis.call('ZREM', KEYS[2], ARGV[2 + 2 * i])
  end
end
if gone > 0 then redis.call('HINCRBY', KEYS[1], 'count', -gone) end
return gone
`);

/** One more sign that this memory is kept. KEYS: marker, ids. ARGV: life, beat. Answers the new beat. */
export const BEAT = new RedisScript(`#!lua
${CHECK}
return redis.call('HINCRBY', KEYS[1], 'beat', 1)
`);
