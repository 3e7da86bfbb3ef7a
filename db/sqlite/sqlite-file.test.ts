import { spawn } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StartError } from '../../server/platform/start-error';
import { openSqliteFile } from './sqlite-file';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockyard-'));
  path = join(folder, 'odd name %41#?.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Another process that opens the file and keeps it open until it is killed. */
async function openElsewhere() {
  const script = join(folder, 'holder.mts');
  const module = JSON.stringify(join(import.meta.dirname, 'sqlite-file.ts'));
  writeFileSync(
    script,
    `const { openSqliteFile } = await import(${module});
     const file = await openSqliteFile(${JSON.stringify(path)});
     await file.write((client) => client.execute('create table if not exists kept (id integer)'));
     await file.write((client) => client.execute('insert into kept values (1)'));
     console.log('open');
     setInterval(() => file, 1000);`,
  );
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return {
    kill: () =>
      new Promise<void>((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

test('a second process on one file is refused in one line, and let in once the first was killed', async () => {
  const other = await openElsewhere();
  try {
    const refused = openSqliteFile(path);
    await expect(refused).rejects.toBeInstanceOf(StartError);
    await expect(refused).rejects.toThrow(/^Another Lockyard server has .* open[^\n]*$/);
  } finally {
    await other.kill();
  }
  const file = await openSqliteFile(path);
  const { rows } = await file.client.execute('select id from kept');
  expect(rows).toHaveLength(1);
  await file.close();
});

test('a file is refused whatever path leads to it', async () => {
  const file = await openSqliteFile(path);
  const alias = join(folder, 'alias.db');
  symlinkSync(path, alias);
  await expect(openSqliteFile(alias)).rejects.toThrow('Another Lockyard server');
  await file.close();
  await (await openSqliteFile(alias)).close();
});

test('a file with a hard link is refused in one line, whether or not a server has it open', async () => {
  const file = await openSqliteFile(path);
  const link = join(folder, 'link.db');
  linkSync(path, link);
  const refusal = /^The SQLite file [^\n]* has 2 names \(hard links\)[^\n]*$/;
  await expect(openSqliteFile(link)).rejects.toThrow(refusal);
  await file.close();
  await expect(openSqliteFile(path)).rejects.toThrow(refusal);
  rmSync(link);
  await (await openSqliteFile(path)).close();
});

test('what was answered is flushed to the disk', async () => {
  const file = await openSqliteFile(path);
  const [journal, synchronous] = await Promise.all([
    file.client.execute('pragma journal_mode'),
    file.client.execute('pragma synchronous'),
  ]);
  expect(journal.rows[0]?.[0]).toBe('wal');
  expect(synchronous.rows[0]?.[0]).toBe(2);
  await file.close();
});

test('write jobs run one after another, also after one of them failed', async () => {
  const file = await openSqliteFile(path);
  const order: string[] = [];
  const job = (name: string, fails = false) =>
    file.write(async () => {
      order.push(`${name} begins`);
      await new Promise(setImmediate);
      order.push(`${name} ends`);
      if (fails) throw new Error(name);
    });
  const results = await Promise.allSettled([job('one', true), job('two'), job('three')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(order).toEqual(
    ['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  );
  await file.close();
});

test('a file that cannot be opened is one clear line', async () => {
  writeFileSync(join(folder, 'plain'), '');
  const inFile = openSqliteFile(join(folder, 'plain', 'x.db'));
  await expect(inFile).rejects.toThrow(/^The SQLite file [^\n]* cannot be opened: [^\n]*$/);
  writeFileSync(path, 'this is no database at all, though it is long enough to look like one');
  await expect(openSqliteFile(path)).rejects.toThrow(/cannot be opened: [^\n]*$/);
});

test('a file and those beside it are for their owner alone, also those of before', async () => {
  const expectPrivate = () => {
    const names = readdirSync(folder);
    for (const suffix of ['', '-shm', '-wal', '.lock']) {
      expect(names).toContain(`odd name %41#?.db${suffix}`);
    }
    for (const name of names) {
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
    }
  };
  const before = await openElsewhere();
  await before.kill();
  rmSync(join(folder, 'holder.mts'));
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);
  const file = await openSqliteFile(path);
  await file.write((client) => client.execute('insert into kept values (2)'));
  expectPrivate();
  await file.close();
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  const fresh = await openSqliteFile(path);
  await fresh.write((client) => client.execute('create table kept (id integer)'));
  expectPrivate();
  await fresh.close();
});
