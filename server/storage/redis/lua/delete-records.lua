-- Deletes records that are still as they were read. Everything that can fail comes before the first
-- write.
--
-- ARGV[3]: how many; then for each record its id, the beginning of its text, and the instant that
-- the clock must have reached.
--
-- Returns for each record 1 if this call deleted it, else 0.
local gone, out, found = 0, {}, {}
for i = 4, #ARGV, 3 do
  local id, expected = ARGV[i], ARGV[i + 1]
  local value = now >= tonumber(ARGV[i + 2]) and redis.call('GET', RECORD .. id)
  found[i] = value and string.sub(value, 2, #expected + 1) == expected
  -- While a cluster moves the slot to another node, a command whose key is not here fails.
  if found[i] then redis.call('PEXPIRETIME', QUEUE .. id) end
end
for i = 4, #ARGV, 3 do
  local id, removed = ARGV[i], 0
  if found[i] then
    redis.call('DEL', RECORD .. id, QUEUE .. id)
    removed = redis.call('ZREM', IDS, id)
  end
  gone, out[#out + 1] = gone + removed, removed
end
if gone > 0 then redis.call('HINCRBY', KEYS[1], 'count', -gone) end
return out
