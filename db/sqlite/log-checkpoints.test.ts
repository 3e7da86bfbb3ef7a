import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteFile, type SqliteFile } from './sqlite-file';

const ROW_BYTES = 200_000;

let folder: string;
let path: string;
let file: SqliteFile;
let rows: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockyard-'));
  path = join(folder, 'log.db');
  file = await openSqliteFile(path);
  rows = 0;
  await file.write((writer) => writer.execute('create table kept (id integer, body text)'));
});
afterEach(async () => {
  await file.close();
  rmSync(folder, { recursive: true, force: true });
});

const logBytes = () => statSync(`${path}-wal`).size;

/** How often the log was restarted, by its head. No process locks the log's own file. */
function logBeginnings(): number {
  const head = Buffer.alloc(16);
  const log = openSync(`${path}-wal`, 'r');
  readSync(log, head, 0, head.length, 0);
  closeSync(log);
  return head.readUInt32BE(12);
}

/** Writes rows, each in its own transaction, until this many bytes are written. */
async function write(bytes: number): Promise<void> {
  for (let written = 0; written < bytes; written += ROW_BYTES) {
    rows += 1;
    const args = [rows, `${rows}`.padEnd(ROW_BYTES, '.')];
    await file.write((writer) => writer.execute({ sql: 'insert into kept values (?, ?)', args }));
  }
}

async function expectAllKept(): Promise<void> {
  const kept = await file.client.execute('select count(*), sum(length(body)) from kept');
  expect(Array.from(kept.rows[0] ?? [])).toEqual([rows, rows * ROW_BYTES]);
  const check = await file.client.execute('pragma integrity_check');
  expect(check.rows[0]?.[0]).toBe('ok');
}

test('the log restarts while writes continue, so it stays short, and nothing is lost', async () => {
  await write(150e6);
  expect(logBytes()).toBeLessThan(90e6);
  await expectAllKept();
  await file.close();
  file = await openSqliteFile(path);
  await expectAllKept();
});

test('a file that was closed has everything in it, without its log', async () => {
  await write(1e6);
  await file.close();
  const copy = join(folder, 'copy.db');
  copyFileSync(path, copy);
  file = await openSqliteFile(copy);
  await expectAllKept();
});

test('a reader that keeps a snapshot sees no change, and the log restarts afterwards', async () => {
  await write(1e6);
  const before = rows;
  const beginnings = logBeginnings();
  const snapshot = await file.client.transaction('read');
  const count = async () => (await snapshot.execute('select count(*) from kept')).rows[0]?.[0];
  expect(await count()).toBe(before);
  await write(60e6);
  expect(await count()).toBe(before);
  expect(logBytes()).toBeGreaterThan(60e6);
  expect(logBeginnings()).toBe(beginnings);
  await snapshot.rollback();
  // How much is written until then depends on how fast the disk is.
  const writeMore = async () => {
    await write(1e6);
    return logBeginnings();
  };
  await expect.poll(writeMore, { timeout: 30_000 }).toBeGreaterThan(beginnings);
  await expectAllKept();
});
