-- Reads records and remembered answers, with the clock.
--
-- ARGV[3]: how many records; then their ids; then the keys of answers.
--
-- Returns now; then for each record its text and its queue; then for each answer its text and its
-- expiry.
local out, n, keys = { now }, tonumber(ARGV[3]), {}
for i = 1, n do keys[i] = RECORD .. ARGV[3 + i] end
local values = n > 0 and redis.call('MGET', unpack(keys)) or {}
for i = 1, n do
  local value, queue = values[i], ''
  if value and string.byte(value) == HAS_QUEUE_BYTE then
    queue = redis.call('GET', QUEUE .. ARGV[3 + i])
    if not queue then return redis.error_reply(REFUSAL .. ' records') end
  elseif not value and redis.call('ZSCORE', IDS, ARGV[3 + i]) then
    return redis.error_reply(REFUSAL .. ' records')
  end
  out[2 * i], out[2 * i + 1] = value, queue
end
local last = 1 + 2 * n
for i = 4 + n, #ARGV do
  local key = ANSWER .. ARGV[i]
  out[last + 1], out[last + 2] = redis.call('GET', key), redis.call('PEXPIRETIME', key)
  last = last + 2
end
return out
