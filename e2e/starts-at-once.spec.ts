import { knownMigrations } from '../db/schema-version';
import { appliedTo, migrateBeforeLast } from '../test/migrate-before-last';
import { expect, test } from './lockyard-test';
import { startOwnMariadb } from './own-mariadb';
import { startServer } from './start-server';

/** It uses only servers of its own. */
test.use({ baseURL: undefined });

const PLACES = [
  ['a database of the schema before', migrateBeforeLast],
  ['an empty database', async () => undefined],
] as const;

for (const [where, prepare] of PLACES) {
  test(`four servers that start at once on ${where} apply each migration once`, async () => {
    const database = await startOwnMariadb();
    const variables = {
      LOCKYARD_DATABASE_URL: database.url,
      LOCKYARD_SECRET: 'one secret for all four of the processes',
    };
    try {
      await prepare(database.url);
      const starts = Array.from({ length: 4 }, () => startServer(variables, /ready on/));
      const results = await Promise.allSettled(starts);
      const up = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      try {
        const failures = results.map((each) => (each.status === 'rejected' ? each.reason : null));
        expect(failures).toEqual([null, null, null, null]);
        expect(await appliedTo(database.url)).toEqual(knownMigrations('mysql'));
      } finally {
        await Promise.all(up.map((server) => server.discard()));
      }
    } finally {
      await database.discard();
    }
  });
}
