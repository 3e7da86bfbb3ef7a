-- Lists records that were found during a recovery, except keys that are no texts: they are no
-- records. One that should have a queue but has none gets an empty one: otherwise it could not be
-- read, and that would count as another loss.
--
-- ARGV[1]: the incarnation's name during recovery; then ids.
--
-- Returns 1 if that incarnation is current.
if redis.call('HGET', KEYS[1], 'life') ~= ARGV[1] then return 0 end
local ids, queueless, born = {}, {}, 0
for i = 2, #ARGV do
  local id = ARGV[i]
  local value = redis.call('MGET', RECORD .. id)[1]
  if value then
    ids[#ids + 1] = id
    local hasQueue = string.byte(value) == HAS_QUEUE_BYTE
    -- `GET` would fail if it is no text.
    if hasQueue and not redis.call('MGET', QUEUE .. id)[1] then queueless[#queueless + 1] = id end
  end
end
for _, id in ipairs(ids) do born = born + redis.call('ZADD', IDS, 0, id) end
redis.call('HINCRBY', KEYS[1], 'count', born)
for _, id in ipairs(queueless) do redis.call('SET', QUEUE .. id, '') end
return 1
