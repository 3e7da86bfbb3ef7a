/** What does not fit is refused, and never cut off. */
export const STRICT_MODE = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION';

/**
 * What every statement of ours relies on, whatever the server is set to for other programs: texts
 * are UTF-8, times are UTC, what does not fit is refused, a backslash in a text may be written as
 * two, a transaction ends with its commit, and no statement is refused, ended or answered in part
 * because it takes long or has many rows.
 *
 * The servers differ in the name of a time limit: each runs only the comment that is meant for it.
 */
export const OWN_SESSION =
  `SET NAMES utf8mb4, time_zone = '+00:00', sql_mode = '${STRICT_MODE}', ` +
  "completion_type = 'NO_CHAIN', sql_safe_updates = 0, sql_big_selects = 1, " +
  'sql_select_limit = 18446744073709551615' +
  '/*M!100101 , max_statement_time = 0 */ /*!50708 , max_execution_time = 0 */';
