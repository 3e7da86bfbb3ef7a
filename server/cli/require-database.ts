import { existsSync } from 'node:fs';
import { programSchemaVersion } from '@/db/schema-version';
import { openSnapshot } from '@/db/snapshot';
import type { Config } from '../bootstrap/config/config';
import { StartError } from '../platform/start-error';

/** The state of a database before a command opens it, which may create or migrate it. */
export interface DatabaseFound {
  place: string;
  /** It does not exist yet. */
  isNew: boolean;
  /** How many migrations it has; null: unknown. */
  schema: number | null;
}

/** What the caller allows in addition to the command. */
export interface DatabaseConsent {
  /** Null: the command never creates one. */
  mayCreate: boolean | null;
  mayMigrate: boolean;
}

/**
 * Refuses to create a new database without consent: a command that finds none usually looks in a
 * different folder from the server. Also refuses to migrate one without consent: servers of its
 * version would then no longer start on it.
 *
 * @throws StartError
 */
export async function requireDatabase(
  { database, dataDir }: Pick<Config, 'database' | 'dataDir'>,
  { mayCreate, mayMigrate }: DatabaseConsent,
): Promise<DatabaseFound> {
  const place = database.kind === 'sqlite' ? database.path : 'the MySQL database of Lockyard';
  const schema = await schemaOf(database);
  const isNew = schema === 0;
  const own = programSchemaVersion(database.kind);
  if (!isNew && schema !== null && schema < own && !mayMigrate) {
    throw new StartError(
      `The database has schema ${schema}, this program ${own}: ${place}. Nothing was done. Use ` +
        'the command line of its version, or start the new server, which migrates it. To migrate ' +
        'it now, add --migrate: servers of the older version do not start on it any more then.',
    );
  }
  if (!isNew || mayCreate) return { place, isNew, schema };
  const offer = mayCreate === null ? '' : '; to make a new one, add --create';
  throw new StartError(
    `There is no database yet: ${place} (data folder ${dataDir}). Nothing was done. If a server ` +
      `has one, name its LOCKYARD_DATA_DIR or LOCKYARD_DATABASE_URL${offer}.`,
  );
}

async function schemaOf(database: Config['database']): Promise<number | null> {
  if (database.kind === 'mysql') return appliedMigrations(database);
  if (!existsSync(database.path)) return 0;
  // Null also for an empty file. Opening it for writing reports what is wrong with it.
  return (await appliedMigrations(database).catch(() => null)) || null;
}

/**
 * How many migrations a database has; writes nothing to it.
 *
 * @throws StartError if it does not exist, or cannot be read
 */
export async function appliedMigrations(database: Config['database']): Promise<number> {
  const snapshot = await openSnapshot(database);
  await snapshot.close();
  return snapshot.applied.length;
}
