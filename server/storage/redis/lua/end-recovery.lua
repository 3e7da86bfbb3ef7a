-- Ends a recovery.
--
-- ARGV[1]: the incarnation's name during recovery
-- ARGV[2]: its final name
--
-- Returns 1 if the incarnation is current.
-- While a cluster moves the slot to another node, this fails if the list is not here: then records
-- that were moved are not in it.
redis.call('ZCARD', IDS)
local life = redis.call('HGET', KEYS[1], 'life')
if life == ARGV[1] then redis.call('HSET', KEYS[1], 'life', ARGV[2]) end
return (life == ARGV[1] or life == ARGV[2]) and 1 or 0
