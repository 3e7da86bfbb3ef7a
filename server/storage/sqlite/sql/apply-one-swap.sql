-- Writes one record if it is still as expected, within its window, and the history of that; fails
-- if it is not. A trigger runs both in one statement, which is a transaction by itself.
CREATE TEMP TRIGGER IF NOT EXISTS apply_one_swap
INSTEAD OF INSERT ON one_swap
BEGIN
  UPDATE locks SET
    rev = NEW.rev,
    writer = NEW.writer,
    head = NEW.head,
    queue = coalesce(NEW.queue, queue),
    changed_at = NEW.at
  WHERE id = NEW.id
    AND rev = NEW.seen_rev
    AND writer = NEW.seen_writer
    AND NEW.at >= NEW.past
    AND NEW.at < NEW.ahead;
  SELECT raise(ABORT, 'The record is not as expected.') WHERE changes() = 0;
  INSERT INTO lock_history (id, at, changes, took)
  SELECT
    1 + coalesce((SELECT max(id) FROM lock_history), NEW.last_id),
    NEW.at,
    NEW.history,
    NEW.writer
  WHERE NEW.history IS NOT NULL;
END
