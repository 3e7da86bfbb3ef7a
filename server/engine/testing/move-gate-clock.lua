-- Moves the clock of a gate forward by ARGV[1] ms, or back if that is negative: takes so much off
-- every instant that it has.
local ms = tonumber(ARGV[1])
local before = function(text)
  local instant = tonumber(text)
  return instant and string.format('%.0f', instant - ms) or text
end
for _, key in ipairs(redis.call('KEYS', 'lockyard:gate:*')) do
  if string.find(key, '}:since', 1, true) then
    local run, since, changes = string.match(redis.call('GET', key), '^(%S*) (%d+) (%d+)$')
    redis.call('SET', key, run .. ' ' .. before(since) .. ' ' .. changes)
  elseif string.find(key, '}:counter:', 1, true) then
    local state, asOf, claim, processes =
      string.match(redis.call('GET', key), '^(%S+ %S+ %S+ %S+ %S+) (%S+) (%S+)(.*)$')
    local words = state .. ' ' .. before(asOf) .. ' ' .. before(claim)
    for steps, over in string.gmatch(processes, '(%S+ %d+ %d+) (%d+)') do
      words = words .. ' ' .. steps .. ' ' .. before(over)
    end
    local left = redis.call('PTTL', key)
    if left > ms then redis.call('SET', key, words, 'PX', left - ms) else redis.call('DEL', key) end
  end
end
