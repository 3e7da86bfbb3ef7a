-- Ends a recovery.
--
-- ARGV[1]: the incarnation's name during recovery
-- ARGV[2]: its final name
--
-- Returns 1 if the incarnation is current.
local life = redis.call('HGET', KEYS[1], 'life')
if life == ARGV[1] then redis.call('HSET', KEYS[1], 'life', ARGV[2]) end
return (life == ARGV[1] or life == ARGV[2]) and 1 or 0
