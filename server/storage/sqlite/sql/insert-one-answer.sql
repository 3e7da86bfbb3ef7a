-- insert-one-answer
-- Stores one answer of a change, if it was applied.
-- ?1 to ?4: the answer; ?5, ?6: id and writer of the change's record
INSERT INTO lock_requests (id, input_hash, answer, expires_at)
SELECT ?1, ?2, ?3, ?4
FROM locks
WHERE id = ?5
  AND writer = ?6
ON CONFLICT (id) DO UPDATE SET
  input_hash = excluded.input_hash,
  answer = excluded.answer,
  expires_at = excluded.expires_at
