import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@libsql/client';
import Connection from 'libsql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSqliteFile, type SqliteFile } from './sqlite-file';

let folder: string;
let file: SqliteFile;
let client: Client;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockyard-'));
  file = await openSqliteFile(join(folder, 'control.db'));
  client = file.client;
  await client.execute('create table kept (id integer primary key, text text)');
});
afterEach(async () => {
  await file.close();
  rmSync(folder, { recursive: true, force: true });
});

const insert = (id: number, text: string) =>
  client.execute({ sql: 'insert into kept (id, text) values (?, ?)', args: [id, text] });
const texts = async (from: number) =>
  (
    await client.execute({ sql: 'select text from kept where id >= ? order by id', args: [from] })
  ).rows.map(({ text }) => text);

describe('a statement that a connection has prepared', () => {
  it('is used again for the same text, with the new parameters', async () => {
    await insert(1, 'a');
    const native = vi.spyOn(Connection.prototype, 'prepare');
    const first = new Set();
    for (const id of [2, 3, 4]) await insert(id, 'more');
    for (const { value } of native.mock.results) first.add(value);
    native.mockRestore();
    expect(first.size).toBe(1);
    expect(await texts(1)).toEqual(['a', 'more', 'more', 'more']);
    expect(await texts(4)).toEqual(['more']);
    expect(await texts(9)).toEqual([]);
  });

  it('works again after it failed, and keeps no transaction open', async () => {
    await insert(1, 'a');
    await expect(insert(1, 'b')).rejects.toThrow(/UNIQUE/);
    await insert(2, 'b');
    const isJson = { sql: 'select value from json_each(?)', args: ['none'] };
    await expect(client.execute(isJson)).rejects.toThrow(/JSON/);
    expect((await client.execute({ ...isJson, args: ['[7]'] })).rows[0]?.value).toBe(7);
    const transaction = await client.transaction('write');
    await transaction.execute("insert into kept values (3, 'c')");
    await transaction.rollback();
    expect(await texts(1)).toEqual(['a', 'b']);
    const { rows } = await client.execute('pragma wal_checkpoint(truncate)');
    expect(rows[0]).toMatchObject({ busy: 0, log: 0 });
  });

  it('sees a changed schema, also one that another connection has changed', async () => {
    const all = () => client.execute('select * from kept');
    await insert(1, 'a');
    expect((await all()).columns).toEqual(['id', 'text']);
    const transaction = await client.transaction('write');
    await transaction.execute("alter table kept add column more text default 'm'");
    await transaction.commit();
    const { columns, rows } = await all();
    expect(columns).toEqual(['id', 'text', 'more']);
    expect(rows[0]).toMatchObject({ id: 1, text: 'a', more: 'm' });
  });

  it('makes room for others: thousands of texts are all answered', async () => {
    for (let i = 0; i < 2_000; i += 1) {
      const { rows } = await client.execute(`select ${i} as n`);
      expect(rows[0]?.n).toBe(i);
    }
  });
});
