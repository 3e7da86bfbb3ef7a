-- Writes the records that are still as expected, within their windows.
-- ?1: the proposals, a JSON list; ?2: the clock
UPDATE locks SET
  rev = c.value ->> 'rev',
  writer = c.value ->> 'writer',
  head = c.value ->> 'head',
  queue = coalesce(c.value ->> 'queue', queue),
  changed_at = ?2
FROM json_each(?1) c
WHERE locks.id = c.value ->> 'id'
  AND locks.rev = c.value ->> 'seenRev'
  AND locks.writer = c.value ->> 'seenWriter'
  AND ?2 >= c.value ->> 'past'
  AND ?2 < c.value ->> 'ahead'
  AND NOT EXISTS (
    SELECT 1 FROM lock_requests
    WHERE lock_requests.id IN (SELECT value FROM json_each(c.value -> 'unanswered'))
  )
