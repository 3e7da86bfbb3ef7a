-- What a Redis knows of its own incarnation, all read at one instant, since other processes keep
-- creating records.
--
-- Returns the clock, incarnation, heartbeat, epoch, how many records there should be, and how many
-- are listed.
local marker = redis.call('HMGET', KEYS[1], 'life', 'beat', 'epoch', 'count')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return { now, marker[1], marker[2], marker[3], marker[4], redis.call('ZCARD', IDS) }
