-- Removes the oldest rows up to a position and an instant, a batch of them.
DELETE FROM lock_history
WHERE id IN (
  SELECT id
  FROM lock_history
  WHERE id <= ?1 AND at < ?2
  ORDER BY id
  LIMIT 1000
)
