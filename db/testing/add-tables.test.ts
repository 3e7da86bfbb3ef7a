import { expect, test } from 'vitest';
import type { Database } from '../database';
import { migrate } from '../migrate';
import { openDatabase } from '../open-database';
import { addTables } from './add-tables';
import { newTestLocation, TEST_DIALECTS } from './test-database';

test.each(TEST_DIALECTS)(
  'the tables of tests on %s are those of a migrated database',
  async (dialect) => {
    const [quick, whole] = [await newTestLocation(dialect), await newTestLocation(dialect)];
    try {
      await addTables(quick.url);
      const found = [];
      for (const { url } of [quick, whole]) {
        const database = await openDatabase(url);
        await migrate(database);
        found.push(await schemaOf(database));
        await database.close();
      }
      expect(found[0]).toEqual(found[1]);
      expect(found[0]?.length).toBeGreaterThan(20);
    } finally {
      await Promise.all([quick.remove(), whole.remove()]);
    }
  },
);

/** The statements that would make its tables and indexes, and its migrations. */
async function schemaOf({ raw, kind }: Database): Promise<unknown[]> {
  const ask = async (sql: string) => (await raw.ask(sql, [])).rows;
  const applied = await ask(
    'SELECT hash, created_at FROM __drizzle_migrations ORDER BY created_at',
  );
  if (kind === 'sqlite') return [...(await ask('SELECT sql FROM sqlite_master')), ...applied];
  const made = [];
  for (const [table] of await ask('SHOW TABLES'))
    made.push(await ask(`SHOW CREATE TABLE ${table}`));
  return [...made, ...applied];
}
