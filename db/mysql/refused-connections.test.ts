import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseFailure } from '../database-failure';
import { newTestLocation, TEST_DIALECTS, type TestLocation } from '../testing/test-database';
import { openMysql } from './open-mysql';

const user = `u_${randomBytes(6).toString('hex')}`;

const WITHOUT_METHOD = [
  `UPDATE mysql.global_priv SET priv = JSON_SET(priv, '$.plugin', 'gone') WHERE user = '${user}'`,
  'FLUSH PRIVILEGES',
];

/** How the account of a control database is created, and changed while servers run. */
const REFUSED = [
  ['has another password by now', '', [`ALTER USER ${user}@'%' IDENTIFIED BY 'another'`]],
  ['is locked by now', '', [`ALTER USER ${user}@'%' ACCOUNT LOCK`]],
  ['may have no more connections', 'WITH MAX_USER_CONNECTIONS 1', []],
  ['may run no more statements', '', [`ALTER USER ${user}@'%' WITH MAX_QUERIES_PER_HOUR 1`]],
  ['signs in by a method that the server has no more', '', WITHOUT_METHOD],
] as const;

describe.skipIf(!TEST_DIALECTS.includes('mysql'))('a control database whose user', () => {
  let place: TestLocation;
  let url: URL;
  beforeAll(async () => {
    place = await newTestLocation('mysql');
    url = new URL(place.url.kind === 'mysql' ? place.url.url : '');
  });
  afterAll(() => place.remove());

  const asAdmin = async (sql: string) => {
    const connection = await createConnection({ uri: url.href });
    await connection.query(sql);
    await connection.end();
  };

  test.each(REFUSED)('%s counts as down, not as broken', async (_, limit, changes) => {
    await asAdmin(`CREATE USER ${user}@'%' IDENTIFIED BY 'first' ${limit}`);
    await asAdmin(`GRANT ALL ON ${url.pathname.slice(1)}.* TO ${user}@'%'`);
    const as = { username: user, password: 'first' };
    const database = await openMysql(Object.assign(new URL(url), as).href);
    try {
      for (const change of changes) await asAdmin(change);
      const ask = () => database.raw.ask('SELECT 1', []);
      // The transaction has the only connection that is open.
      const failure = await database.raw
        .transaction(ask)
        .catch((error: unknown) => databaseFailure(error, 'no'));
      expect(failure).toMatchObject({ reason: 'BACKEND_DOWN' });
    } finally {
      await database.close();
      await asAdmin(`DROP USER ${user}@'%'`);
    }
  });
});
