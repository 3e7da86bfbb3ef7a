import { readFileSync } from 'node:fs';
import { createConnection } from 'mysql2/promise';
import { newWriter } from '@/server/engine/new-writer';
import { systemClock } from '@/server/platform/clock';
import { MysqlStore } from '../../mysql/mysql-store';
import { openBackend } from '../../open-store';
import { type StoreUnderTest, storesUnderTest } from '../testing/stores-under-test';
import { limitedStore } from './limited-store';

/** The privileges that docs/backends.md leaves to a user once the tables exist. */
const GRANT = /REVOKE ALL ON lockyard\.\*[^;]*;\nGRANT ([A-Z, ]+) ON lockyard\.\* TO/;

/**
 * A MySQL whose tables another user created; its own user has exactly the privileges that
 * docs/backends.md requires.
 */
export async function openLeastPrivilegedMysql(callMaxMs: number): Promise<StoreUnderTest> {
  const under = await storesUnderTest.mysql.open();
  const user = await addLeastPrivilegedUser(under);
  return limitedStore(
    under,
    user,
    openBackend({ kind: 'mysql', url: user.url }, systemClock),
    () => new MysqlStore(user.url, { callMaxMs }),
  );
}

/** Adds a user of that database with these privileges and no others. */
export async function addLeastPrivilegedUser({
  database: { mysqlUrl },
}: Pick<StoreUnderTest, 'database'>): Promise<{ url: string; drop(): Promise<void> }> {
  const [, rights] = GRANT.exec(readFileSync('docs/backends.md', 'utf8')) ?? [];
  if (!mysqlUrl || !rights)
    throw new Error('docs/backends.md no longer lists the necessary privileges.');
  const url = new URL(mysqlUrl);
  const user = `'ly${newWriter().replace(/\W/g, '')}'@'%'`;
  const asRoot = async (...statements: string[]) => {
    const root = await createConnection({ uri: mysqlUrl });
    for (const sql of statements) await root.query(sql);
    await root.end();
  };
  await asRoot(`CREATE USER ${user}`, `GRANT ${rights} ON ${url.pathname.slice(1)}.* TO ${user}`);
  url.username = user.slice(1, user.indexOf("'", 1));
  url.password = '';
  return { url: url.href, drop: () => asRoot(`DROP USER ${user}`) };
}
