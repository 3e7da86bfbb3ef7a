-- Stores the answers of the changes that were applied.
-- ?1: the answers with their records' ids and writers, a JSON list
INSERT INTO lock_requests (id, input_hash, answer, expires_at)
SELECT
  c.value ->> 'key',
  c.value ->> 'inputHash',
  c.value ->> 'answer',
  c.value ->> 'expiresAt'
FROM json_each(?1) c
JOIN locks
  ON locks.id = c.value ->> 'id'
  AND locks.writer = c.value ->> 'writer'
WHERE true
ON CONFLICT (id) DO UPDATE SET
  input_hash = excluded.input_hash,
  answer = excluded.answer,
  expires_at = excluded.expires_at
