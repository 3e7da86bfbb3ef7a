-- Creates the records that are expected not to exist, within their windows.
-- ?1: the proposals, a JSON list; ?2: the clock
INSERT INTO locks (id, rev, writer, head, queue, changed_at)
SELECT
  value ->> 'id',
  value ->> 'rev',
  value ->> 'writer',
  value ->> 'head',
  coalesce(value ->> 'queue', ''),
  ?2
FROM json_each(?1) c
WHERE value ->> 'seenRev' IS NULL
  AND ?2 >= value ->> 'past'
  AND ?2 < value ->> 'ahead'
  AND NOT EXISTS (
    SELECT 1 FROM lock_requests
    WHERE lock_requests.id IN (SELECT value FROM json_each(c.value -> 'unanswered'))
  )
ON CONFLICT (id) DO NOTHING
