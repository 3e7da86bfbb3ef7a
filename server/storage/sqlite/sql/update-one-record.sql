-- update-one-record
-- Writes one record that is still as expected, within its window, unless its request was answered.
-- ?1 to ?4: what it becomes, the queue null where it stays; ?5: the clock; ?6: its id; ?7, ?8: the
-- rev and writer that were seen; ?9, ?10: the window; ?11: the request that must have no answer, or
-- null
UPDATE locks SET
  rev = ?1,
  writer = ?2,
  head = ?3,
  queue = coalesce(?4, queue),
  changed_at = ?5
WHERE id = ?6
  AND rev = ?7
  AND writer = ?8
  AND ?5 >= ?9
  AND ?5 < ?10
  AND NOT EXISTS (SELECT 1 FROM lock_requests WHERE lock_requests.id = ?11)
