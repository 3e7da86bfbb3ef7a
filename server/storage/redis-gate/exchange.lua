-- Takes what one process sends about some counters, and returns what is known about each.
--
-- KEYS[1]: since when this server has been collecting: its run, an instant, and how many changes
-- there were since. Only changes of counters at a bound are counted. KEYS[2]: the ids of the
-- counters that changed last, the newest first. KEYS[3]: the number of the process's last message.
-- ARGV[1]: the prefix of the keys of counters; [2]: the process; [3]: the server's run; [4]: the
-- number of this message; [5], [6]: since when and up to which change the process has seen all, or
-- '-'; [7]: the longest that a step is under way; [8]: how long a reading is fresh; [9]: the age at
-- which it is read again; [10]: how long one process is given for that. All in milliseconds.
-- Then for each counter its id, and a text of words: the process's steps under way down and up; '1'
-- if the process is ready to read; then, if it has news: 'gone' and the rev known before that read;
-- or rev and value, and if these were read from MySQL: floor, ceiling, the instant before that
-- read, and the rev known then. A bound or rev that is absent is '-'.
--
-- Returns a text of words: the instant; in how many ms it is ready; KEYS[1]'s instant and number;
-- then for each counter, 9 each: rev, value, floor, ceiling and the instant of its reading, or '-'
-- each; steps under way of all processes, down and up; 1 if the process should read it; 1 if the
-- news corrected something. After the text, unless that is not known: the ids of the counters whose
-- changes the process has not seen.
--
-- A counter's key has a text of words too: rev, value, floor, ceiling, the rev of the bounds, the
-- instant of the reading, the instant by which a process is to read; then for each process with
-- steps under way 4: process, down, up, and the instant at which they end.
local FIRST, EACH = 11, 2
local COUNTER = '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+)(.*)$'
local NOTHING = '- - - - - - -'
local CHANGES_MAX = 256
local match, gmatch, call = string.match, string.gmatch, redis.call
local prefix, process, run = ARGV[1], ARGV[2], ARGV[3]
local stepMax, fresh = tonumber(ARGV[7]), tonumber(ARGV[8])
local refresh, claimFor = tonumber(ARGV[9]), tonumber(ARGV[10])
local time = call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local whole = function(number) return string.format('%.0f', number) end

-- What arrives late, on a connection that the process has given up, is out of date.
local lastNumber = tonumber(call('GET', KEYS[3]) or '')
if lastNumber and tonumber(ARGV[4]) <= lastNumber then
  return redis.error_reply('LATE a later message of this process has already arrived')
end
call('SET', KEYS[3], ARGV[4], 'PX', fresh)

-- Steps announced to an earlier run are lost: nothing is known until the last of them has ended.
local knownRun, since, changes = match(call('GET', KEYS[1]) or '', '^(%S*) (%d+) (%d+)$')
since, changes = tonumber(since or ''), tonumber(changes or '')
if knownRun ~= run or not since or since > now then
  since, changes = now, 0
  call('SET', KEYS[1], run .. ' ' .. whole(since) .. ' 0')
end
local changesBefore = changes
local readyIn = math.max(0, since + stepMax - now)
local readyAt = since + stepMax

local function isAtBound(value, floor, ceiling)
  local low, high = tonumber(floor), tonumber(ceiling)
  return (low and value <= low) or (high and value >= high)
end

local out = { whole(now), whole(readyIn), whole(since), '' }
local n = 4
for i = FIRST, #ARGV, EACH do
  local id = ARGV[i]
  local key = prefix .. id
  local myDown, myUp, wants, news = match(ARGV[i + 1], '^(%d+) (%d+) ([01])(.*)$')
  local rev, value, floor, ceiling, boundsRev, asOf, claim, processes =
    match(call('GET', key) or NOTHING, COUNTER)
  if not rev then
    rev, value, floor, ceiling, boundsRev, asOf, claim, processes = match(NOTHING, COUNTER)
  end
  local newest, current, readAt = tonumber(rev), tonumber(value), tonumber(asOf)
  -- A state from before this server was ready may be that of an older copy.
  local known = newest and current and readAt and tonumber(boundsRev)
    and (floor == '-' or tonumber(floor)) and (ceiling == '-' or tonumber(ceiling))
    and readAt <= now and now < readAt + fresh and readAt >= readyAt
  local corrected, touched, changed = 0, false, false

  if news ~= '' then
    local newRev, newValue, reading = match(news, '^ (%S+) (%S+)(.*)$')
    if newRev == 'gone' then
      if known and tonumber(newValue) == newest then
        rev, value, floor, ceiling, boundsRev, asOf = '-', '-', '-', '-', '-', '-'
        known, corrected, changed = false, 1, true
      end
    else
      -- Values are also stored while nothing is fresh: a reading begun earlier may arrive later.
      local number, isReading, isReset = tonumber(newRev), false, false
      local newFloor, newCeiling, newAsOf, over
      if reading ~= '' then
        newFloor, newCeiling, newAsOf, over = match(reading, '^ (%S+) (%S+) (%S+) (%S+)$')
        local began = tonumber(newAsOf)
        isReading = began >= readyAt and began + fresh > now
        isReset = isReading and known and tonumber(over) == newest and number < newest
      end
      local valueToo = isReset or number > (newest or -1) or (isReading and number == newest)
      local boundsToo = isReading
        and (not known or isReset or number >= tonumber(boundsRev))
      local isOther = valueToo and (newRev ~= rev or newValue ~= value)
      local isRebound = boundsToo and (newFloor ~= floor or newCeiling ~= ceiling)
      if isOther or isRebound then
        changed = not current or isAtBound(current, floor, ceiling)
        if known and isReading and (isRebound or newValue ~= value) then corrected = 1 end
      end
      if valueToo then rev, value = newRev, newValue end
      if boundsToo then
        if known and not isReset and tonumber(newAsOf) < readAt then newAsOf = asOf end
        floor, ceiling, boundsRev, asOf = newFloor, newCeiling, newRev, newAsOf
        known = readyIn == 0 and tonumber(value) ~= nil
      end
      touched = valueToo or boundsToo
    end
  end
  if changed then
    changes = changes + 1
    call('LPUSH', KEYS[2], id)
    call('SET', KEYS[1], run .. ' ' .. whole(since) .. ' ' .. whole(changes))
  end

  local due = '0'
  if wants == '1' and readyIn == 0 and not (known and now - tonumber(asOf) < refresh) then
    local claimed = tonumber(claim)
    if not claimed or claimed <= now or claimed > now + claimFor then
      claim, due, touched = whole(now + claimFor), '1', true
    end
  end

  -- The steps of a process that is silent for too long have ended; they count until MySQL was read
  -- after that, since the value may not include them yet. Those that end later than any step can
  -- were announced before the clock was set back.
  local down, up, others, differs = 0, 0, '', false
  if processes ~= '' then
    local confirmed = known and tonumber(asOf) or -1
    for one, d, u, untilAt in gmatch(processes, '(%S+) (%d+) (%d+) (%d+)') do
      local over = tonumber(untilAt)
      if over > now + stepMax then over, differs = now + stepMax, true end
      if one == process or (over <= now and confirmed >= over) then
        differs = true
      else
        down, up = down + tonumber(d), up + tonumber(u)
        others = others .. ' ' .. one .. ' ' .. d .. ' ' .. u .. ' ' .. whole(over)
      end
    end
  end
  local mine = ''
  if myDown ~= '0' or myUp ~= '0' then
    mine = ' ' .. process .. ' ' .. myDown .. ' ' .. myUp .. ' ' .. whole(now + stepMax)
    touched = true
  end
  if touched or changed or differs then
    local words = rev .. ' ' .. value .. ' ' .. floor .. ' ' .. ceiling .. ' ' .. boundsRev
      .. ' ' .. asOf .. ' ' .. claim .. others .. mine
    if touched then call('SET', key, words, 'PX', fresh) else call('SET', key, words, 'KEEPTTL') end
  end

  if known then
    out[n + 1], out[n + 2], out[n + 3], out[n + 4], out[n + 5] = rev, value, floor, ceiling, asOf
  else
    out[n + 1], out[n + 2], out[n + 3], out[n + 4], out[n + 5] = '-', '-', '-', '-', '-'
  end
  out[n + 6] = down == 0 and myDown or whole(down + tonumber(myDown))
  out[n + 7] = up == 0 and myUp or whole(up + tonumber(myUp))
  out[n + 8], out[n + 9] = due, corrected
  n = n + 9
end

if changes ~= changesBefore then
  call('LTRIM', KEYS[2], 0, CHANGES_MAX - 1)
  call('PEXPIRE', KEYS[2], fresh)
end
out[4] = whole(changes)
local answer = { table.concat(out, ' ') }
local unseen = tonumber(ARGV[5]) == since and changes - (tonumber(ARGV[6]) or -1) or -1
if unseen == 0 then
  answer[2] = {}
elseif unseen > 0 and unseen <= CHANGES_MAX then
  local ids = call('LRANGE', KEYS[2], 0, unseen - 1)
  if #ids == unseen then answer[2] = ids end
end
return answer
