import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LibsqlError } from '@libsql/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteFile, type SqliteFile } from './sqlite-file';

const ROWS = 500_000;

let folder: string;
let file: SqliteFile;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockyard-'));
  file = await openSqliteFile(join(folder, 'scripts.db'));
  await file.write((writer) => writer.execute('create table kept (n integer unique)'));
});
afterEach(async () => {
  await file.close();
  rmSync(folder, { recursive: true, force: true });
});

const numbers = async () => {
  const { rows } = await file.client.execute('select n from kept order by n');
  return rows.map(({ n }) => n);
};

/** A script that takes longer than this thread may have to wait for a processor. */
const manyRows =
  `with recursive series (n) as (select 1 union all select n + 1 from series where n < ${ROWS}) ` +
  'insert into kept select n from series';

describe('a script', () => {
  it('runs beside the event loop', async () => {
    let turns = 0;
    let isOver = false;
    const script = file.writeAside([manyRows]).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise(setImmediate);
      turns += 1;
    }
    await script;
    expect(turns).toBeGreaterThan(20);
    expect((await file.client.execute('select count(*) n from kept')).rows[0]?.n).toBe(ROWS);
  });

  it('runs after the writes requested before it, and before later ones', async () => {
    const write = (sql: string) => file.write((writer) => writer.execute(sql));
    await Promise.all([
      write('insert into kept values (1)'),
      file.writeAside(['update kept set n = n * 10', 'insert into kept values (2)']),
      write('update kept set n = n + 1'),
    ]);
    expect(await numbers()).toEqual([3, 11]);
  });

  it('that fails leaves nothing open: it rejects as the client does; writes continue', async () => {
    await file.writeAside(['insert into kept values (1)']);
    const failed = file.writeAside(['insert into kept values (2)', 'insert into kept values (1)']);
    await expect(failed).rejects.toBeInstanceOf(LibsqlError);
    await expect(failed).rejects.toHaveProperty('code', 'SQLITE_CONSTRAINT_UNIQUE');
    await file.write((writer) => writer.execute('insert into kept values (3)'));
    await file.writeAside(['insert into kept values (4)']);
    expect(await numbers()).toEqual([1, 3, 4]);
  });
});
