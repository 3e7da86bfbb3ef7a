-- Removes what is old of the oldest rows up to a position, a batch of them. Rows beyond those are
-- not looked at: there may be millions that are young.
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
