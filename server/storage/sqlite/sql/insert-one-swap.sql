-- insert-one-swap
-- ?1: the record's id; ?2, ?3: the rev and writer that were seen; ?4, ?5: the window; ?6 to ?9: what
-- it becomes, the queue null where it stays; ?10: the clock; ?11: the history's text, null if
-- nothing happened; ?12: the highest id of a history row so far, if no row is there
INSERT INTO one_swap
  (id, seen_rev, seen_writer, past, ahead, rev, writer, head, queue, at, history, last_id)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
