-- One row for the swap, with the writers of the changes that were applied, if any was.
-- ?1: all writers, a JSON list; ?2: the history's text; ?3: the clock; ?4: the ids, a JSON list;
-- ?5: the highest id so far, if no row is there
INSERT INTO lock_history (id, at, changes, took)
SELECT
  1 + coalesce((SELECT max(id) FROM lock_history), ?5),
  ?3,
  ?2,
  group_concat(writer)
FROM locks
WHERE writer IN (SELECT value FROM json_each(?1))
  AND id IN (SELECT value FROM json_each(?4))
HAVING count(*) > 0
