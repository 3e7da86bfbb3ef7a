-- insert-one-history
-- One row for a swap of one change, if the statement before has applied it.
-- ?1: the clock; ?2: the history's text; ?3: the change's writer
INSERT INTO lock_history (at, changes, took)
SELECT ?1, ?2, ?3
WHERE changes() > 0
