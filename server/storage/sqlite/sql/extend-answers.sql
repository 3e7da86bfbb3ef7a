-- Extends answers, each only if the change that extends it was applied.
-- ?1: their keys and expiries with their records' ids and writers, a JSON list
UPDATE lock_requests SET
  expires_at = max(lock_requests.expires_at, c.value ->> 'expiresAt')
FROM json_each(?1) c
JOIN locks
  ON locks.id = c.value ->> 'id'
  AND locks.writer = c.value ->> 'writer'
WHERE lock_requests.id = c.value ->> 'key'
