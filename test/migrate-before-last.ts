import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/mysql2';
import { migrate } from 'drizzle-orm/mysql2/migrator';
import { createConnection } from 'mysql2/promise';

/** One line of a journal of migrations. */
export interface JournalEntry {
  idx: number;
  when: number;
  tag: string;
}

/** Copies the migrations of one kind of database, with other entries in the journal. */
export function copyMigrations(
  kind: string,
  to: string,
  change: (entries: JournalEntry[]) => JournalEntry[],
): void {
  cpSync(join('db/migrations', kind), to, { recursive: true });
  const path = join(to, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(path, 'utf8')) as { entries: JournalEntry[] };
  writeFileSync(path, JSON.stringify({ ...journal, entries: change(journal.entries) }));
}

/**
 * Gives an empty MySQL database the schema before the last migration, as an older program left it.
 */
export async function migrateBeforeLast(url: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lockyard-older-'));
  const client = await createConnection({ uri: url });
  try {
    copyMigrations('mysql', folder, (entries) => entries.slice(0, -1));
    await migrate(drizzle({ client }), { migrationsFolder: folder });
  } finally {
    await client.end();
    rmSync(folder, { recursive: true });
  }
}

/** The instants of the migrations that were applied to a MySQL database, in their order. */
export async function appliedTo(url: string): Promise<number[]> {
  const client = await createConnection({ uri: url });
  try {
    const [rows] = await client.query('select created_at from __drizzle_migrations order by id');
    return (rows as { created_at: unknown }[]).map(({ created_at }) => Number(created_at));
  } finally {
    await client.end();
  }
}
