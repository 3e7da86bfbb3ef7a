-- Removes the oldest rows up to a position and an instant, a batch of them; never the newest row,
-- from which ids go on.
DELETE FROM lock_history
WHERE id IN (
  SELECT id
  FROM lock_history
  WHERE id <= ?1
    AND at < ?2
    AND id < (SELECT max(id) FROM lock_history)
  ORDER BY id
  LIMIT 1000
)
