-- Counts one more heartbeat of this incarnation. Returns its number.
return redis.call('HINCRBY', KEYS[1], 'beat', 1)
