import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { KEYS, PREFIX } from './redis-keys';

/** Marks a record that has a queue. */
export const HAS_QUEUE = 'q';

const HAS_QUEUE_BYTE = HAS_QUEUE.charCodeAt(0);

/** One value of a script's reply. */
export type Reply = string | number | null | Reply[];

/**
 * A constant Lua script. Callers' input enters as `ARGV` alone, never as part of its text;
 * `KEYS[1]` is the marker, which represents every other key that the script uses, since all share
 * its slot.
 */
export class RedisScript {
  /** The name by which Redis knows the script. */
  readonly sha: string;

  constructor(private readonly lua: string) {
    this.sha = createHash('sha1').update(lua).digest('hex');
  }

  /**
   * Runs the script by its name; a server that no longer has it has run nothing, and is sent the
   * whole text.
   *
   * @param sendBehind sends another command directly after it
   */
  async run(redis: Redis, args: (string | number)[], sendBehind = () => {}): Promise<Reply> {
    const rest = [1, KEYS.marker, ...args];
    const send = (...call: [string, string]) => {
      const reply = redis.call(...call, ...rest);
      sendBehind();
      return reply as Promise<Reply>;
    };
    try {
      return await send('EVALSHA', this.sha);
    } catch (error) {
      if (!String((error as Error).message).startsWith('NOSCRIPT')) throw error;
      return await send('EVAL', this.lua);
    }
  }
}

/**
 * Begins every refusal of our scripts; the rest says what is wrong with the store's incarnation.
 */
export const REFUSAL = 'LOCKYARD';

/**
 * The first lines of every script. `ARGV[1]` is the incarnation that the caller was admitted with;
 * `ARGV[2]` is the heartbeat, the server's replication id, and 1 if no replica may have a copy. If
 * the incarnation has changed, or a replica that may lack writes could take over, the script does
 * nothing.
 */
const CHECK = `
local seen, history, alone = string.match(ARGV[2], '^(%S+) (%S+) (%d)')
local replication = redis.call('INFO', 'replication')
local function says(line) return string.find(replication, line .. '\\r', 1, true) end
if not (says('master_replid:' .. history) and says('role:master')) then return redis.error_reply('${REFUSAL} run') end
if alone == '1' and not (says('connected_slaves:0') and says('repl_backlog_active:0')) then return redis.error_reply('${REFUSAL} replicas') end
local marker = redis.call('HMGET', KEYS[1], 'life', 'beat', 'count')
if marker[1] ~= ARGV[1] then return redis.error_reply('${REFUSAL} life') end
if (tonumber(marker[2]) or -1) < tonumber(seen) then return redis.error_reply('${REFUSAL} beat') end
if redis.call('ZCARD', '${KEYS.ids}') ~= tonumber(marker[3]) then return redis.error_reply('${REFUSAL} records') end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/**
 * What a Redis knows of its own incarnation, all read at one instant, since other processes keep
 * creating records. Returns the clock, incarnation, heartbeat, epoch, how many records there should
 * be, and how many are listed.
 */
export const INSPECT = new RedisScript(`#!lua flags=no-writes
local marker = redis.call('HMGET', KEYS[1], 'life', 'beat', 'epoch', 'count')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return { now, marker[1], marker[2], marker[3], marker[4], redis.call('ZCARD', '${KEYS.ids}') }
`);

/**
 * Records and remembered answers, with the clock.
 *
 * ARGV: incarnation, what was seen, how many records, their ids; then the keys of answers. Returns
 * now; then of each record its text and its queue; then of each answer its text and its expiry.
 */
export const READ = new RedisScript(`#!lua flags=no-writes
${CHECK}
local out, n, keys = { now }, tonumber(ARGV[3]), {}
for i = 1, n do keys[i] = '${PREFIX.record}' .. ARGV[3 + i] end
local values = n > 0 and redis.call('MGET', unpack(keys)) or {}
for i = 1, n do
  local value, queue = values[i], ''
  if value and string.byte(value) == ${HAS_QUEUE_BYTE} then
    queue = redis.call('GET', '${PREFIX.queue}' .. ARGV[3 + i])
    if not queue then return redis.error_reply('${REFUSAL} records') end
  elseif not value and redis.call('ZSCORE', '${KEYS.ids}', ARGV[3 + i]) then
    return redis.error_reply('${REFUSAL} records')
  end
  out[2 * i], out[2 * i + 1] = value, queue
end
local last = 1 + 2 * n
for i = 4 + n, #ARGV do
  local key = '${PREFIX.answer}' .. ARGV[i]
  out[last + 1], out[last + 2] = redis.call('GET', key), redis.call('PEXPIRETIME', key)
  last = last + 2
end
return out
`);

/**
 * Swaps. Everything that can fail comes before the first write, so a refusal has changed nothing.
 *
 * ARGV: incarnation, what was seen, `all` or `each`, the history's text or nothing, how many
 * changes, their proposals concatenated; then, change by change, key, text and expiry of each
 * answer to store, and key and expiry of each one to extend. A proposal is past, ahead, the number
 * of answers stored and extended, and the lengths of what follows, with a blank after each; then
 * the id, what is expected (nothing: no record), the queue (`=`: unchanged, else a sign and the
 * queue), and the text. One long argument, because each argument costs the driver time.
 *
 * Returns now; then of each change 1 if it was applied, else the rev and writer of the current
 * record, or nothing.
 */
export const SWAP = new RedisScript(`#!lua
${CHECK}
local n, all, proposals = tonumber(ARGV[5]), ARGV[3] == 'all', ARGV[6]
local ids, keys, inTime, expecteds, texts, queues, kepts, extendeds = {}, {}, {}, {}, {}, {}, {}, {}
local from, past, ahead, kept, extended, named, length, size, long = 1
for i = 1, n do
  past, ahead, kept, extended, named, length, size, long, from =
    string.match(proposals, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) ()', from)
  inTime[i] = now >= tonumber(past) and now < tonumber(ahead)
  kepts[i], extendeds[i] = tonumber(kept), tonumber(extended)
  local expected = from + named
  local queue = expected + length
  local text = queue + size
  ids[i] = string.sub(proposals, from, expected - 1)
  expecteds[i] = string.sub(proposals, expected, queue - 1)
  queues[i] = string.sub(proposals, queue, text - 1)
  from = text + long
  texts[i] = string.sub(proposals, text, from - 1)
  keys[i] = '${PREFIX.record}' .. ids[i]
end
local values = redis.call('MGET', unpack(keys))
local out, writers, whole = { now }, {}, true
for i = 1, n do
  local value, expected = values[i], expecteds[i]
  local took
  if value then
    took = inTime[i] and expected ~= '' and string.sub(value, 2, #expected + 1) == expected
  else
    took = inTime[i] and expected == ''
    if redis.call('ZSCORE', '${KEYS.ids}', ids[i]) then return redis.error_reply('${REFUSAL} records') end
  end
  if took then
    out[1 + i] = 1
    writers[#writers + 1] = string.match(texts[i], '^%S+ (%S+)')
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
  redis.call('XADD', '${KEYS.history}', string.format('%.0f-0', id), 'at', now, 'changes', ARGV[4], 'took', table.concat(writers, ','))
end
local at, born = 7, 0
for i = 1, n do
  local took, last = out[1 + i] == 1, at + 3 * kepts[i] + 2 * extendeds[i]
  if took then
    local id, value, queue, flag = ids[i], values[i], queues[i], '-'
    local had = value and string.byte(value) == ${HAS_QUEUE_BYTE}
    if queue == '=' then
      flag = had and '${HAS_QUEUE}' or '-'
    elseif queue ~= '+' then
      flag = '${HAS_QUEUE}'
      redis.call('SET', '${PREFIX.queue}' .. id, string.sub(queue, 2))
    elseif had then
      redis.call('DEL', '${PREFIX.queue}' .. id)
    end
    redis.call('SET', keys[i], flag .. texts[i])
    if not value then born = born + redis.call('ZADD', '${KEYS.ids}', 0, id) end
    for k = 1, kepts[i] do
      redis.call('SET', '${PREFIX.answer}' .. ARGV[at], ARGV[at + 1], 'PXAT', ARGV[at + 2])
      at = at + 3
    end
    for k = 1, extendeds[i] do
      redis.call('PEXPIREAT', '${PREFIX.answer}' .. ARGV[at], ARGV[at + 1], 'GT')
      at = at + 2
    end
  end
  at = last
end
if born > 0 then redis.call('HINCRBY', KEYS[1], 'count', born) end
return out
`);

/**
 * Removes records that are still as they were seen. ARGV: incarnation, what was seen, how many; of
 * each its id, the beginning of its text, and the instant that the clock must have reached. Returns
 * 1 for each that this call removed, else 0.
 */
export const DELETE_RECORDS = new RedisScript(`#!lua
${CHECK}
local gone, out = 0, {}
for i = 4, #ARGV, 3 do
  local id, expected, removed = ARGV[i], ARGV[i + 1], 0
  local value = now >= tonumber(ARGV[i + 2]) and redis.call('GET', '${PREFIX.record}' .. id)
  if value and string.sub(value, 2, #expected + 1) == expected then
    redis.call('DEL', '${PREFIX.record}' .. id, '${PREFIX.queue}' .. id)
    removed = redis.call('ZREM', '${KEYS.ids}', id)
  end
  gone, out[#out + 1] = gone + removed, removed
end
if gone > 0 then redis.call('HINCRBY', KEYS[1], 'count', -gone) end
return out
`);

/**
 * One more heartbeat of this incarnation. ARGV: incarnation, what was seen. Returns the new
 * heartbeat.
 */
export const HEARTBEAT = new RedisScript(`#!lua
${CHECK}
return redis.call('HINCRBY', KEYS[1], 'beat', 1)
`);
