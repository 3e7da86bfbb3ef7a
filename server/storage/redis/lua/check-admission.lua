-- Begins every script that works on records. If the incarnation has changed, or a replica that may
-- lack writes could take over, the script does nothing.
--
-- ARGV[1]: the incarnation that the caller was admitted with
-- ARGV[2]: the last heartbeat it saw, the server's replication id, and 1 if no replica may have a
--          copy, separated by blanks
--
-- Sets `now`: the clock in epoch milliseconds.
local seen, history, alone = string.match(ARGV[2], '^(%S+) (%S+) (%d)')
local replication = redis.call('INFO', 'replication')
local function says(line)
  return string.find(replication, line .. '\r', 1, true)
end
if not (says('master_replid:' .. history) and says('role:master')) then
  return redis.error_reply(REFUSAL .. ' run')
end
if alone == '1' and not (says('connected_slaves:0') and says('repl_backlog_active:0')) then
  return redis.error_reply(REFUSAL .. ' replicas')
end
local marker = redis.call('HMGET', KEYS[1], 'life', 'beat', 'count')
if marker[1] ~= ARGV[1] then return redis.error_reply(REFUSAL .. ' life') end
if (tonumber(marker[2]) or -1) < tonumber(seen) then
  return redis.error_reply(REFUSAL .. ' beat')
end
if redis.call('ZCARD', IDS) ~= tonumber(marker[3]) then
  return redis.error_reply(REFUSAL .. ' records')
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
