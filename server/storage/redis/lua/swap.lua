-- Swaps. Everything that can fail comes before the first write, so a refusal has changed nothing.
-- `IN_CLUSTER` says whether the server is a node of a cluster.
--
-- ARGV[3]: `all` or `each`
-- ARGV[4]: the history's text, or nothing
-- ARGV[5]: the writers of all changes, separated by commas
-- ARGV[6]: a JSON list of nine numbers for each change: past, ahead, how many requests must have
--          no answer, how many answers it stores and extends, and the lengths in bytes of its key,
--          of what it expects, of its queue (-1: unchanged) and of its record
-- ARGV[7]: these four texts of each change, concatenated. What is expected is empty if there must
--          be no record. The record begins with the sign of its new queue, or of none if that is
--          unchanged
-- ARGV[8]: the keys of the requests that must have no answer, separated by commas
-- then, change by change: key, text and expiry of each answer to store, and key and expiry of each
-- one to extend
--
-- Few long arguments, because each costs the driver time; and few new strings and patterns,
-- because they are most of what a script costs Redis.
--
-- Returns now; then for each change 1 if it was applied, else the current record, or nothing: as a
-- whole if it has no queue, else its sign, rev and writer; then the number of the history's new
-- entry, if there is one.
local all, numbers, texts = ARGV[3] == 'all', cjson.decode(ARGV[6]), ARGV[7]
local n, sub, max = #numbers / 9, string.sub, math.max
local function numbersOf(i)
  return unpack(numbers, 9 * i - 8, 9 * i)
end
local function hasQueue(value)
  return value and string.byte(value) == HAS_QUEUE_BYTE
end
local keys, from = {}, 1
for i = 1, n do
  local _, _, _, _, _, keyLength, expectedLength, queueLength, recordLength = numbersOf(i)
  keys[i] = sub(texts, from, from + keyLength - 1)
  from = from + keyLength + expectedLength + max(queueLength, 0) + recordLength
end
local function idOf(i)
  return sub(keys[i], #RECORD + 1)
end
local values = redis.call('MGET', unpack(keys))
local requests, answers = {}, {}
for key in string.gmatch(ARGV[8], '[^,]+') do requests[#requests + 1] = ANSWER .. key end
-- Lua unpacks no more than a few thousand values in one call.
for i = 1, #requests, 1000 do
  local batch = redis.call('MGET', unpack(requests, i, math.min(i + 999, #requests)))
  for j = 1, #batch do answers[i + j - 1] = batch[j] end
end
local asked = 0
local function isAnswered(count)
  local answer = false
  for i = asked + 1, asked + count do answer = answer or answers[i] end
  asked = asked + count
  return answer
end
local function found(i)
  return hasQueue(values[i]) and string.match(values[i], '^%S+ %S+ ') or values[i]
end
local out, applied, records = { now }, 0, {}
from = 1
for i = 1, n do
  local past, ahead, unanswered, _, _, keyLength, expectedLength, queueLength, recordLength =
    numbersOf(i)
  local expected = from + keyLength
  local queue = expected + expectedLength
  local record = queue + max(queueLength, 0)
  from = record + recordLength
  local value = values[i]
  local applies = not isAnswered(unanswered) and now >= past and now < ahead
  if value then
    applies = applies and expectedLength > 0
      and string.find(value, sub(texts, expected, queue - 1), 2, true) == 2
  else
    if redis.call('ZSCORE', IDS, idOf(i)) then return redis.error_reply(REFUSAL .. ' records') end
    applies = applies and expectedLength == 0
  end
  if applies then
    local text = sub(texts, record, from - 1)
    if queueLength < 0 and hasQueue(value) then text = HAS_QUEUE .. sub(text, 2) end
    applied = applied + 1
    out[1 + i] = 1
    records[2 * applied - 1], records[2 * applied] = keys[i], text
  else
    out[1 + i] = found(i)
  end
end
if applied == 0 then return out end
if all and applied < n then
  for i = 1, n do out[1 + i] = found(i) end
  return out
end
-- Writes everything but history and records.
local function writeRest(call)
  local answer, born = 9, 0
  from = 1
  for i = 1, n do
    local _, _, _, stored, extended, keyLength, expectedLength, queueLength, recordLength =
      numbersOf(i)
    local queue = from + keyLength + expectedLength
    from = queue + max(queueLength, 0) + recordLength
    if out[1 + i] == 1 then
      if queueLength > 0 then
        call('SET', QUEUE .. idOf(i), sub(texts, queue, queue + queueLength - 1))
      elseif queueLength == 0 and hasQueue(values[i]) then
        call('DEL', QUEUE .. idOf(i))
      end
      if not values[i] then born = born + call('ZADD', IDS, 0, idOf(i)) end
      for _ = 1, stored do
        call('SET', ANSWER .. ARGV[answer], ARGV[answer + 1], 'PXAT', ARGV[answer + 2])
        answer = answer + 3
      end
      for _ = 1, extended do
        call('PEXPIREAT', ANSWER .. ARGV[answer], ARGV[answer + 1], 'GT')
        answer = answer + 2
      end
    else
      answer = answer + 3 * stored + 2 * extended
    end
  end
  if born > 0 then call('HINCRBY', KEYS[1], 'count', born) end
end
-- While a cluster moves the slot to another node, a command whose key is not here fails.
if IN_CLUSTER then
  local function touch(_, key) return redis.call('PEXPIRETIME', key) end
  if ARGV[4] ~= '' then touch('XADD', HISTORY) end
  writeRest(touch)
end
-- First: if the history cannot be written, no record is.
if ARGV[4] ~= '' then
  local took = ARGV[5]
  if applied < n then
    local writers, i = {}, 0
    for writer in string.gmatch(took, '[^,]+') do
      i = i + 1
      if out[1 + i] == 1 then writers[#writers + 1] = writer end
    end
    took = table.concat(writers, ',')
  end
  local id = redis.call('HINCRBY', KEYS[1], 'history', 1)
  redis.call('XADD', HISTORY, string.format('%.0f-0', id),
    'at', now, 'changes', ARGV[4], 'took', took)
  out[2 + n] = id
end
-- A user without MSET, as set up by earlier documentation, writes them one by one.
if redis.pcall('MSET', unpack(records)).err then
  for i = 1, #records, 2 do redis.call('SET', records[i], records[i + 1]) end
end
writeRest(redis.call)
return out
