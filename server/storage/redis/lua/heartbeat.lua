-- Counts one more heartbeat of this incarnation. Returns its number, and the clock.
return { redis.call('HINCRBY', KEYS[1], 'beat', 1), now }
