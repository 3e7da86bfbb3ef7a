import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { StartError } from '../server/platform/start-error';
import type { Database } from './database';

/** The table in which the migrator records what it has applied. */
export const MIGRATIONS_TABLE = '__drizzle_migrations';

/** The migrations of this program for one kind of database. */
export function migrationsFolder(kind: Database['kind']): string {
  return resolve(process.cwd(), 'db/migrations', kind);
}

/** The schema version of this program: its number of migrations. The same for every dialect. */
export function programSchemaVersion(kind: Database['kind']): number {
  return knownMigrations(kind).length;
}

/**
 * Refuses a database that a newer program has migrated: this program does not know its schema.
 *
 * @param applied the instants that identify applied migrations, as the database has them
 */
export function refuseNewerSchema(kind: Database['kind'], applied: number[]): void {
  const known = knownMigrations(kind);
  if (applied.every((instant) => known.includes(instant))) return;
  throw new StartError(
    `The database has a newer schema (${applied.length}) than this program knows ` +
      `(${known.length}). Nothing was changed. Start the newer program, or restore a backup ` +
      'from before the upgrade.',
  );
}

/** The instants that identify this program's migrations, in order. */
export function knownMigrations(kind: Database['kind']): number[] {
  const path = resolve(migrationsFolder(kind), 'meta/_journal.json');
  const { entries } = JSON.parse(readFileSync(path, 'utf8')) as { entries: { when: number }[] };
  return entries.map(({ when }) => when);
}
