import type { DatabaseUrl } from './backend-url';
import type { Database } from './database';
import { openMysql } from './open-mysql';
import { openSqlite } from './open-sqlite';

/**
 * Opens the control database. It is not migrated yet: see `migrate`.
 *
 * Errors: `StartError` when MySQL is absent or refuses, when the file cannot be opened, or when another process has it.
 */
export function openDatabase(url: DatabaseUrl): Promise<Database> {
  return url.kind === 'sqlite' ? openSqlite(url.path) : openMysql(url.url);
}
