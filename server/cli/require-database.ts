import { existsSync } from 'node:fs';
import { openSnapshot } from '@/db/snapshot';
import type { Config } from '../bootstrap/config/config';
import { StartError } from '../platform/start-error';

/**
 * Refuses to make a new database by the way: a command that finds none usually looks in another
 * folder than the server.
 *
 * @param mayCreate the caller asked for a new one
 * @returns the place of a database that is yet to be made; null: there is one
 * @throws StartError
 */
export async function requireDatabase(
  { database, dataDir }: Pick<Config, 'database' | 'dataDir'>,
  mayCreate: boolean,
): Promise<string | null> {
  const place = database.kind === 'sqlite' ? database.path : 'the MySQL database of Lockyard';
  if (await hasTables(database)) return null;
  if (mayCreate) return place;
  throw new StartError(
    `There is no database yet: ${place} (data folder ${dataDir}). Nothing was done. If a server ` +
      'has one, name its LOCKYARD_DATA_DIR or LOCKYARD_DATABASE_URL; to make a new one, add --create.',
  );
}

async function hasTables(database: Config['database']): Promise<boolean> {
  if (database.kind === 'sqlite') return existsSync(database.path);
  const snapshot = await openSnapshot(database);
  await snapshot.close();
  return snapshot.applied.length > 0;
}
