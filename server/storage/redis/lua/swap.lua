-- Swaps. Everything that can fail comes before the first write, so a refusal has changed nothing.
--
-- ARGV[3]: `all` or `each`
-- ARGV[4]: the history's text, or nothing
-- ARGV[5]: how many changes
-- ARGV[6]: their proposals, concatenated
-- then, change by change: key, text and expiry of each answer to store, and key and expiry of each
-- one to extend
--
-- A proposal is past, ahead, the number of answers stored and extended, and the lengths of what
-- follows, with a blank after each; then the id, what is expected (nothing: no record), the queue
-- (`=`: unchanged, else a sign and the queue), and the text. One long argument, because each
-- argument costs the driver time.
--
-- Returns now; then of each change 1 if it was applied, else the rev and writer of the current
-- record, or nothing.
local n, all, proposals = tonumber(ARGV[5]), ARGV[3] == 'all', ARGV[6]
local ids, keys, inTime, expecteds, texts, queues, stored, extended = {}, {}, {}, {}, {}, {}, {}, {}
local from, past, ahead, storing, extending, idLength, expectedLength, queueLength, textLength = 1
for i = 1, n do
  past, ahead, storing, extending, idLength, expectedLength, queueLength, textLength, from =
    string.match(proposals, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) ()', from)
  inTime[i] = now >= tonumber(past) and now < tonumber(ahead)
  stored[i], extended[i] = tonumber(storing), tonumber(extending)
  local expected = from + idLength
  local queue = expected + expectedLength
  local text = queue + queueLength
  ids[i] = string.sub(proposals, from, expected - 1)
  expecteds[i] = string.sub(proposals, expected, queue - 1)
  queues[i] = string.sub(proposals, queue, text - 1)
  from = text + textLength
  texts[i] = string.sub(proposals, text, from - 1)
  keys[i] = RECORD .. ids[i]
end
local values = redis.call('MGET', unpack(keys))
local out, writers, whole = { now }, {}, true
for i = 1, n do
  local value, expected = values[i], expecteds[i]
  local applies
  if value then
    applies = inTime[i] and expected ~= '' and string.sub(value, 2, #expected + 1) == expected
  else
    applies = inTime[i] and expected == ''
    if redis.call('ZSCORE', IDS, ids[i]) then return redis.error_reply(REFUSAL .. ' records') end
  end
  if applies then
    out[1 + i] = 1
    writers[#writers + 1] = string.match(texts[i], '^%S+ (%S+)')
  else
    out[1 + i], whole = value and string.match(value, '^.(%S+ %S+)') or false, false
  end
end
if #writers == 0 then return out end
if all and not whole then
  for i = 1, n do
    out[1 + i] = values[i] and string.match(values[i], '^.(%S+ %S+)') or false
  end
  return out
end
if ARGV[4] ~= '' then
  local id = redis.call('HINCRBY', KEYS[1], 'history', 1)
  redis.call('XADD', HISTORY, string.format('%.0f-0', id),
    'at', now, 'changes', ARGV[4], 'took', table.concat(writers, ','))
end
local at, born = 7, 0
for i = 1, n do
  local last = at + 3 * stored[i] + 2 * extended[i]
  if out[1 + i] == 1 then
    local id, value, queue, flag = ids[i], values[i], queues[i], '-'
    local hadQueue = value and string.byte(value) == HAS_QUEUE_BYTE
    if queue == '=' then
      flag = hadQueue and HAS_QUEUE or '-'
    elseif queue ~= '+' then
      flag = HAS_QUEUE
      redis.call('SET', QUEUE .. id, string.sub(queue, 2))
    elseif hadQueue then
      redis.call('DEL', QUEUE .. id)
    end
    redis.call('SET', keys[i], flag .. texts[i])
    if not value then born = born + redis.call('ZADD', IDS, 0, id) end
    for _ = 1, stored[i] do
      redis.call('SET', ANSWER .. ARGV[at], ARGV[at + 1], 'PXAT', ARGV[at + 2])
      at = at + 3
    end
    for _ = 1, extended[i] do
      redis.call('PEXPIREAT', ANSWER .. ARGV[at], ARGV[at + 1], 'GT')
      at = at + 2
    end
  end
  at = last
end
if born > 0 then redis.call('HINCRBY', KEYS[1], 'count', born) end
return out
