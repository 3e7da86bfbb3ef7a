-- Reads what a Redis knows of its own incarnation, all at one instant, since other processes keep
-- creating records; and whether its user may run every command that a script runs after its first
-- write, for a script that fails there has written only a part.
--
-- Returns the clock, incarnation, heartbeat, epoch, how many records there should be, how many are
-- listed, and the first command that the user may not run, or nothing.
local marker = redis.call('HMGET', KEYS[1], 'life', 'beat', 'epoch', 'count')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function missing()
  for _, command in ipairs({
    { 'HSET', KEYS[1], 'beat', 0 },
    { 'HINCRBY', KEYS[1], 'beat', 1 },
    { 'XADD', HISTORY, '1-0', 'at', 0 },
    { 'SET', RECORD, '' },
    { 'SET', QUEUE, '' },
    { 'SET', ANSWER, '' },
    { 'PEXPIREAT', ANSWER, 0 },
    { 'DEL', QUEUE },
    { 'ZADD', IDS, 0, '' },
    { 'ZREM', IDS, '' },
  }) do
    -- A command that the server does not have, or calls by another name, is an error.
    local exists, isAllowed = pcall(redis.acl_check_cmd, unpack(command))
    if not (exists and isAllowed) then return command[1] end
  end
end
-- Compatible servers may lack this function.
local lacks = redis.acl_check_cmd and missing()
return { now, marker[1], marker[2], marker[3], marker[4], redis.call('ZCARD', IDS), lacks }
