/**
 * What every statement of ours relies on, whatever the server is set to for other programs: texts
 * are UTF-8, a transaction ends with its commit, and no statement is refused, ended or answered in
 * part since it takes long or has many rows.
 *
 * The servers differ in the name of a time limit: each runs only the comment that is meant for it.
 */
export const OWN_SESSION =
  "SET NAMES utf8mb4, completion_type = 'NO_CHAIN', sql_safe_updates = 0, sql_big_selects = 1, " +
  'sql_select_limit = 18446744073709551615' +
  '/*M!100101 , max_statement_time = 0 */ /*!50708 , max_execution_time = 0 */';
