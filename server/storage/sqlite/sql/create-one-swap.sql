-- What is inserted here is a swap of one record: see `apply-one-swap.sql`.
CREATE TEMP VIEW IF NOT EXISTS one_swap AS
SELECT
  '' AS id,
  0 AS seen_rev,
  '' AS seen_writer,
  0 AS past,
  0 AS ahead,
  0 AS rev,
  '' AS writer,
  '' AS head,
  '' AS queue,
  0 AS at,
  '' AS history,
  0 AS last_id
