-- Takes what one process says of some counters, and returns what is known of each.
--
-- KEYS[1]: since when this server has been collecting: its run and an instant.
-- ARGV[1]: what the keys of counters begin with; [2]: the process; [3]: the server's run;
-- [4]: the longest that a step is under way; [5]: how long a reading is fresh; [6]: its age from
-- which it is read again; [7]: how long one process is given for that. All in milliseconds.
-- Then for each counter, 11 each: id; the process's steps under way down and up; '1' if the process
-- would read; rev, 'gone', or '' for no news; value; '1' if read from MySQL; floor; ceiling; the
-- instant before that read; the rev known then. A bound or rev that is absent is ''.
--
-- Returns the instant; in how many ms it is ready; then for each counter, 9 each: rev, value, floor,
-- ceiling and the instant of its reading, or '' each; steps under way of all processes, down and up;
-- 1 if the process should read it; 1 if the news corrected something.
local EACH = 11
local prefix, process, run = ARGV[1], ARGV[2], ARGV[3]
local stepMax, fresh = tonumber(ARGV[4]), tonumber(ARGV[5])
local refresh, claimFor = tonumber(ARGV[6]), tonumber(ARGV[7])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local whole = function(number) return string.format('%.0f', number) end

-- Steps that were announced before are lost: nothing is known until the last of them is over.
local knownRun, since = string.match(redis.call('GET', KEYS[1]) or '', '^(%S*) (%d+)$')
since = tonumber(since or '')
if knownRun ~= run or not since or since > now then
  since = now
  redis.call('SET', KEYS[1], run .. ' ' .. whole(since))
end
local readyIn = math.max(0, since + stepMax - now)

-- The fields of a counter, those of other processes apart, and whether its state is fresh. One from
-- before this server was ready may be that of an older copy.
local function load(key)
  local list, c, others = redis.call('HGETALL', key), {}, {}
  for i = 1, #list, 2 do
    local field, text = list[i], list[i + 1]
    if string.sub(field, 1, 2) ~= 'p:' then
      c[field] = text
    elseif field ~= 'p:' .. process then
      others[field] = text
    else
      c.mine = text
    end
  end
  local rev, asOf = tonumber(c.rev or ''), tonumber(c.asOf or '')
  local known = rev and asOf and tonumber(c.boundsRev or '') and tonumber(c.value or '')
    and c.floor and c.ceiling and asOf <= now and now < asOf + fresh
    and asOf >= since + stepMax
  return c, known and true or false, others
end

-- What other processes have under way. The steps of one that is silent for too long are over; they
-- count until MySQL was read after that, since what they did may not be in the value yet.
local function sum(key, others, readAt)
  local down, up = 0, 0
  for field, text in pairs(others) do
    local d, u, untilAt = string.match(text, '^(%d+) (%d+) (%d+)$')
    if not untilAt or (tonumber(untilAt) <= now and readAt and readAt >= tonumber(untilAt)) then
      redis.call('HDEL', key, field)
    else
      down, up = down + tonumber(d), up + tonumber(u)
    end
  end
  return down, up
end

local out = { whole(now), whole(readyIn) }
for i = 8, #ARGV, EACH do
  local key = prefix .. ARGV[i]
  local myDown, myUp, wants, rev, value = ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5]
  local isRead, floor, ceiling = ARGV[i + 6], ARGV[i + 7], ARGV[i + 8]
  local asOf, over = ARGV[i + 9], ARGV[i + 10]
  local c, known, others = load(key)
  local isOver = known and over ~= '' and tonumber(over) == tonumber(c.rev)
  local corrected, touched = 0, false

  if rev == 'gone' then
    if isOver then
      redis.call('HDEL', key, 'rev', 'value', 'floor', 'ceiling', 'boundsRev', 'asOf')
      known, corrected = false, 1
    end
  elseif rev ~= '' then
    -- A value is kept also while nothing is fresh: a reading that began before it may come later.
    local n, newest = tonumber(rev), tonumber(c.rev or '') or -1
    local isReading = isRead == '1' and tonumber(asOf) >= since + stepMax
      and tonumber(asOf) + fresh > now
    local isReset = isReading and isOver and n < newest
    local valueToo = isReset or n > newest or (isReading and n == newest)
    local boundsToo = isReading
      and (not known or isReset or n >= tonumber(c.boundsRev))
    if known and isReading and valueToo and value ~= c.value then corrected = 1 end
    if known and boundsToo and (floor ~= c.floor or ceiling ~= c.ceiling) then corrected = 1 end
    if valueToo then
      c.rev, c.value = rev, value
      redis.call('HSET', key, 'rev', rev, 'value', value)
    end
    if boundsToo then
      if known and not isReset then asOf = whole(math.max(tonumber(asOf), tonumber(c.asOf))) end
      c.floor, c.ceiling, c.boundsRev, c.asOf = floor, ceiling, rev, asOf
      redis.call('HSET', key, 'floor', floor, 'ceiling', ceiling, 'boundsRev', rev, 'asOf', asOf)
      known = readyIn == 0 and tonumber(c.value or '') ~= nil
    end
    touched = valueToo or boundsToo
  end

  if myDown ~= '0' or myUp ~= '0' then
    redis.call('HSET', key, 'p:' .. process, myDown .. ' ' .. myUp .. ' ' .. whole(now + stepMax))
    touched = true
  elseif c.mine then
    redis.call('HDEL', key, 'p:' .. process)
  end

  local due = 0
  if wants == '1' and readyIn == 0 and not (known and now - tonumber(c.asOf) < refresh) then
    local claim = tonumber(c.claim or '')
    if not claim or claim <= now or claim > now + claimFor then
      redis.call('HSET', key, 'claim', whole(now + claimFor))
      due, touched = 1, true
    end
  end
  if touched then redis.call('PEXPIRE', key, fresh) end

  local down, up = sum(key, others, known and tonumber(c.asOf))
  local n = #out
  if known then
    out[n + 1], out[n + 2], out[n + 3], out[n + 4], out[n + 5] = c.rev, c.value, c.floor, c.ceiling, c.asOf
  else
    for j = n + 1, n + 5 do out[j] = '' end
  end
  out[n + 6], out[n + 7] = whole(down + tonumber(myDown)), whole(up + tonumber(myUp))
  out[n + 8], out[n + 9] = due, corrected
end
return out
