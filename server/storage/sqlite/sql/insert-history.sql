-- One row for the swap, with the writers of the changes that were applied, if any was.
-- ?1: all writers, a JSON list; ?2: the history's text; ?3: the clock; ?4: the ids, a JSON list
INSERT INTO lock_history (at, changes, took)
SELECT ?3, ?2, group_concat(writer)
FROM locks
WHERE writer IN (SELECT value FROM json_each(?1))
  AND id IN (SELECT value FROM json_each(?4))
HAVING count(*) > 0
