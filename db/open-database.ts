import type { Database } from './database';
import { openMysql } from './mysql/open-mysql';
import { openSqlite } from './sqlite/open-sqlite';
import type { DatabaseUrl } from './urls/backend-url';

/**
 * Opens the control database, without migrating it: see `migrate`.
 *
 * Rejects with `StartError` when MySQL does not respond or refuses, when the file cannot be opened,
 * or when another process has it open.
 */
export function openDatabase(url: DatabaseUrl): Promise<Database> {
  return url.kind === 'sqlite' ? openSqlite(url.path) : openMysql(url.url);
}
