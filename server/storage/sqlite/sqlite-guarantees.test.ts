import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqliteFile } from '@/db/sqlite/sqlite-file';
import { storesUnderTest } from '../conformance/testing/stores-under-test';
import { identityOf, readSqliteFacts, type SqliteFacts } from './sqlite-facts';
import { sqliteGuarantees } from './sqlite-guarantees';

const EXT4 = 0xef53;
const GOOD: SqliteFacts = {
  journalMode: 'wal',
  synchronous: 1,
  pageSize: 4096,
  version: '3.45.1',
  fileSystem: EXT4,
  isInPlace: true,
};
const of = (parts: Partial<SqliteFacts>) => sqliteGuarantees({ ...GOOD, ...parts });

describe('a SQLite file', () => {
  it.each([
    {},
    { synchronous: 2 },
    { synchronous: 3, journalMode: 'delete' },
    { fileSystem: null },
    { isInPlace: null },
  ])('is Strong where every commit is flushed to a disk of this machine: %j', (parts) =>
    expect(of(parts)).toMatchObject({ level: 'Strong', unsafe: null }),
  );

  it.each([
    { journalMode: 'delete' },
    { synchronous: 0 },
    { journalMode: 'memory', synchronous: 2 },
    { journalMode: 'off', synchronous: 2 },
    { fileSystem: 0x01021994 },
    { fileSystem: 0x65735546 },
  ])('is Best-effort where a crash may cost grants, and says so: %j', (parts) => {
    const guarantees = of(parts);
    expect(guarantees).toMatchObject({ level: 'Best-effort', unsafe: null });
    expect(guarantees.settings.filter(({ complaint }) => complaint !== null)).toHaveLength(1);
    expect(guarantees.reasons).toHaveLength(1);
  });

  it.each([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x00c36400])(
    'is unsafe on a file system that other machines reach: %d',
    (fileSystem) => expect(of({ fileSystem }).unsafe).toMatch(/another machine/),
  );

  it('as Lockyard opens it has a log that is flushed before an answer', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ly-facts-'));
    const file = await openSqliteFile(join(folder, 'a file.db'));
    const opened = await identityOf(file);
    const facts = await readSqliteFacts(file, opened);
    expect(sqliteGuarantees({ ...facts, fileSystem: EXT4 }).level).toBe('Strong');
    await file.write((writer) => writer.execute('pragma synchronous = off'));
    const unsafe = await readSqliteFacts(file, opened);
    expect(sqliteGuarantees({ ...unsafe, fileSystem: EXT4 }).level).toBe('Best-effort');
    await file.close();
    await rm(folder, { recursive: true });
    expect(facts).toMatchObject({ journalMode: 'wal', synchronous: 1 });
    expect(facts.version).toMatch(/^3\.\d+/);
    expect(facts.fileSystem === null).toBe(process.platform !== 'linux');
  });

  it('is unsafe if its path leads to another file or none, which others may use', async () => {
    const { store, database, close } = await storesUnderTest.sqlite.open();
    const { rows } = await database.raw.ask('SELECT file FROM pragma_database_list', []);
    const path = String(rows[0]?.[0]);
    const unsafe = async () => (await store.guarantees()).unsafe;
    expect(await unsafe()).toBe(null);
    await rename(path, `${path}.old`);
    expect(await unsafe()).toMatch(/moved, removed or replaced/);
    await writeFile(path, '');
    expect(await unsafe()).toMatch(/moved, removed or replaced/);
    await rename(`${path}.old`, path);
    expect(await unsafe()).toBe(null);
    await close();
  });
});
