/** A value that does not fit is refused, never truncated. */
export const STRICT_MODE = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION';

/**
 * The session settings that every statement of ours relies on, whatever the server's defaults:
 * texts are UTF-8, times are UTC, a value that does not fit is refused, a backslash in a text can
 * be escaped by another, single writes are committed, a transaction ends with its commit, no
 * statement is refused, aborted or answered in part because it takes long or has many rows, and no
 * connection is closed because it is idle for some hours, in a transaction or not.
 *
 * The servers differ in the names of time limits: each runs only the comments meant for it.
 */
export const OWN_SESSION =
  `SET NAMES utf8mb4, time_zone = '+00:00', sql_mode = '${STRICT_MODE}', ` +
  "autocommit = 1, completion_type = 'NO_CHAIN', sql_safe_updates = 0, sql_big_selects = 1, " +
  'sql_select_limit = 18446744073709551615, wait_timeout = 28800' +
  '/*M!100101 , max_statement_time = 0 */ /*!50708 , max_execution_time = 0 */' +
  '/*M!100301 , idle_transaction_timeout = 0, idle_readonly_transaction_timeout = 0, ' +
  'idle_write_transaction_timeout = 0 */';
