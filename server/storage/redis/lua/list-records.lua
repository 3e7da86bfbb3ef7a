-- Lists records that were found during a recovery.
--
-- ARGV[1]: the incarnation's name during recovery; then ids.
--
-- Returns 1 if that incarnation is current.
if redis.call('HGET', KEYS[1], 'life') ~= ARGV[1] then return 0 end
local born = 0
for i = 2, #ARGV do born = born + redis.call('ZADD', IDS, 0, ARGV[i]) end
redis.call('HINCRBY', KEYS[1], 'count', born)
return 1
