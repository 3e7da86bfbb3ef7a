-- Deletes records that are still as they were read.
--
-- ARGV[3]: how many; then of each its id, the beginning of its text, and the instant that the clock
-- must have reached.
--
-- Returns 1 for each that this call deleted, else 0.
local gone, out = 0, {}
for i = 4, #ARGV, 3 do
  local id, expected, removed = ARGV[i], ARGV[i + 1], 0
  local value = now >= tonumber(ARGV[i + 2]) and redis.call('GET', RECORD .. id)
  if value and string.sub(value, 2, #expected + 1) == expected then
    redis.call('DEL', RECORD .. id, QUEUE .. id)
    removed = redis.call('ZREM', IDS, id)
  end
  gone, out[#out + 1] = gone + removed, removed
end
if gone > 0 then redis.call('HINCRBY', KEYS[1], 'count', -gone) end
return out
