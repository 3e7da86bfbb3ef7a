-- Removes the old rows of one batch: the oldest rows up to a position. Later rows are not examined,
-- since millions of them may be young.
-- ?1: the position; ?2: the instant before which a row is old
DELETE FROM lock_history
WHERE at < ?2
  AND id IN (
    SELECT id
    FROM lock_history
    WHERE id <= ?1
    ORDER BY id
    LIMIT 1000
  )
