-- Extends answers, each only if a change that extends it was applied, until the last such instant.
-- ?1: their keys and expiries with their records' ids and writers, a JSON list
UPDATE lock_requests SET
  expires_at = max(lock_requests.expires_at, extended.until)
FROM (
  SELECT
    c.value ->> 'key' AS id,
    max(c.value ->> 'expiresAt') AS until
  FROM json_each(?1) c
  JOIN locks
    ON locks.id = c.value ->> 'id'
    AND locks.writer = c.value ->> 'writer'
  GROUP BY 1
) extended
WHERE lock_requests.id = extended.id
