import { KEYS } from './redis-keys';
import { REFUSAL, RedisScript } from './redis-script';

/**
 * Begins a new incarnation, unless it has begun: no process admitted to an earlier one can write
 * from here on. Rebuilds the list of ids from the records that exist; the history continues above
 * all its earlier numbers. If the store already has a higher epoch, the command is late and is
 * refused.
 *
 * ARGV: the incarnation's name during recovery, its final name, epoch, the lowest number of the
 * history. Returns the clock: everything written in an earlier incarnation was written before.
 */
export const START_INCARNATION = new RedisScript(`#!lua
local marker, time = redis.call('HMGET', KEYS[1], 'life', 'epoch', 'history'), redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + 1
if marker[1] == ARGV[1] or marker[1] == ARGV[2] then return now end
if (tonumber(marker[2]) or 0) > tonumber(ARGV[3]) then return redis.error_reply('${REFUSAL} life') end
local history = math.max(tonumber(marker[3]) or 0, tonumber(ARGV[4]))
redis.call('DEL', KEYS[1], '${KEYS.ids}')
redis.call('HSET', KEYS[1], 'life', ARGV[1], 'beat', 0, 'count', 0, 'epoch', ARGV[3], 'history', string.format('%.0f', history))
return now
`);

/** Lists records that were found. ARGV: the incarnation's name during recovery; ids. */
export const LIST_RECORDS = new RedisScript(`#!lua
if redis.call('HGET', KEYS[1], 'life') ~= ARGV[1] then return 0 end
local born = 0
for i = 2, #ARGV do born = born + redis.call('ZADD', '${KEYS.ids}', 0, ARGV[i]) end
redis.call('HINCRBY', KEYS[1], 'count', born)
return 1
`);

/**
 * Ends the recovery. ARGV: the incarnation's name during recovery, its final name. Returns 1 if the
 * incarnation is current.
 */
export const END_RECOVERY = new RedisScript(`#!lua
local life = redis.call('HGET', KEYS[1], 'life')
if life == ARGV[1] then redis.call('HSET', KEYS[1], 'life', ARGV[2]) end
return (life == ARGV[1] or life == ARGV[2]) and 1 or 0
`);
