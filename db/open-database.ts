import type { Database } from './database';
import { openMysql } from './mysql/open-mysql';
import { openSqlite } from './sqlite/open-sqlite';
import type { DatabaseUrl } from './urls/backend-url';

/**
 * Opens the control database. It is not migrated yet: see `migrate`.
 *
 * Errors: `StartError` when MySQL is absent or refuses, when the file cannot be opened, or when another process has it.
 */
export function openDatabase(url: DatabaseUrl): Promise<Database> {
  return url.kind === 'sqlite' ? openSqlite(url.path) : openMysql(url.url);
}
