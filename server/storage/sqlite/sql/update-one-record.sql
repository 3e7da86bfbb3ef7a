-- update-one-record
-- Writes one record that is still as expected, within its window.
-- ?1 to ?4: what it becomes, the queue null where it stays; ?5: the clock; ?6: its id; ?7, ?8: the
-- rev and writer that were seen; ?9, ?10: the window
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
