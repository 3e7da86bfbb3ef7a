-- Moves the clock of a gate forward by ARGV[1] ms: takes so much off every instant that it has.
local ms = tonumber(ARGV[1])
local before = function(text) return string.format('%.0f', tonumber(text) - ms) end
for _, key in ipairs(redis.call('KEYS', 'lockyard:gate:*')) do
  if redis.call('TYPE', key).ok == 'string' then
    local run, since = string.match(redis.call('GET', key), '^(%S*) (%d+)$')
    redis.call('SET', key, run .. ' ' .. before(since))
  else
    local fields = redis.call('HGETALL', key)
    for i = 1, #fields, 2 do
      local field, text = fields[i], fields[i + 1]
      if field == 'asOf' or field == 'claim' then
        redis.call('HSET', key, field, before(text))
      elseif string.sub(field, 1, 2) == 'p:' then
        local steps, untilAt = string.match(text, '^(%d+ %d+) (%d+)$')
        redis.call('HSET', key, field, steps .. ' ' .. before(untilAt))
      end
    end
    local left = redis.call('PTTL', key)
    if left > 0 then redis.call('PEXPIRE', key, left - ms) end
  end
end
