-- Starts a new incarnation, unless it has already started: no process admitted to an earlier one
-- can write from here on. Empties the list of ids, which is rebuilt from the records that exist;
-- the history continues above all its earlier numbers. If the store already has a higher epoch, the
-- command is late and is refused.
--
-- ARGV[1]: the incarnation's name during recovery
-- ARGV[2]: its final name
-- ARGV[3]: its epoch
-- ARGV[4]: the lowest number of the history
--
-- Returns the clock: everything written in an earlier incarnation was written before.
local marker, time = redis.call('HMGET', KEYS[1], 'life', 'epoch', 'history'), redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + 1
if marker[1] == ARGV[1] or marker[1] == ARGV[2] then return now end
if (tonumber(marker[2]) or 0) > tonumber(ARGV[3]) then
  return redis.error_reply(REFUSAL .. ' life')
end
local history = math.max(tonumber(marker[3]) or 0, tonumber(ARGV[4]))
-- First: while a cluster moves the slot to another node, this fails if the list is not here. The
-- marker is here, and is not deleted, since it could not be recreated.
redis.call('DEL', IDS)
redis.call('HSET', KEYS[1], 'life', ARGV[1], 'beat', 0, 'count', 0, 'epoch', ARGV[3],
  'history', string.format('%.0f', history))
return now
