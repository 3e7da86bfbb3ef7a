import { KEYS } from './redis-keys';
import { REFUSAL, RedisScript } from './redis-script';

/**
 * Begins a new life, unless it has begun: nobody admitted to an earlier one can write from here on. The list of ids is
 * made anew from the records that are there, and the history goes on above every number that it had. A life of an epoch
 * below the one that stands is over: that command comes late, and is refused.
 *
 * ARGV: the life while it is mended, the life, epoch, the lowest number of the history. Answers the
 * clock: whatever was written in an earlier life was written before.
 */
export const BEGIN_LIFE = new RedisScript(`#!lua
local marker, time = redis.call('HMGET', KEYS[1], 'life', 'epoch', 'history'), redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + 1
if marker[1] == ARGV[1] or marker[1] == ARGV[2] then return now end
if (tonumber(marker[2]) or 0) > tonumber(ARGV[3]) then return redis.error_reply('${REFUSAL} life') end
local history = math.max(tonumber(marker[3]) or 0, tonumber(ARGV[4]))
redis.call('DEL', KEYS[1], '${KEYS.ids}')
redis.call('HSET', KEYS[1], 'life', ARGV[1], 'beat', 0, 'count', 0, 'epoch', ARGV[3], 'history', string.format('%.0f', history))
return now
`);

/** Lists records that were found. ARGV: the life while it is mended; ids. */
export const LIST_RECORDS = new RedisScript(`#!lua
if redis.call('HGET', KEYS[1], 'life') ~= ARGV[1] then return 0 end
local born = 0
for i = 2, #ARGV do born = born + redis.call('ZADD', '${KEYS.ids}', 0, ARGV[i]) end
redis.call('HINCRBY', KEYS[1], 'count', born)
return 1
`);

/** Ends the mending. ARGV: the life while it is mended, the life. Answers 1 where the life stands. */
export const END_MENDING = new RedisScript(`#!lua
local life = redis.call('HGET', KEYS[1], 'life')
if life == ARGV[1] then redis.call('HSET', KEYS[1], 'life', ARGV[2]) end
return (life == ARGV[1] or life == ARGV[2]) and 1 or 0
`);
