import { spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, test, vi } from 'vitest';
import { StartError } from '../../server/platform/start-error';
import { databaseFailure } from '../database-failure';
import { fileUrl, openSqliteFile, type SqliteFile } from './sqlite-file';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockyard-'));
  path = join(folder, 'odd name %41#?.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes to a log. No process locks that file, so closing it ends no locks. */
function writeAt(file: string, from: number, bytes: Buffer): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, from);
  closeSync(descriptor);
}

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

test('a second process on one file is refused in one line until the first is killed', async () => {
  const other = await openElsewhere();
  try {
    const refused = openSqliteFile(path);
    await expect(refused).rejects.toBeInstanceOf(StartError);
    await expect(refused).rejects.toThrow(/^Another Lockyard process has .* open[^\n]*$/);
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
  await expect(openSqliteFile(alias)).rejects.toThrow('Another Lockyard process');
  await file.close();
  await (await openSqliteFile(alias)).close();
});

test('a file with a hard link is refused in one line, whether or not it is open', async () => {
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

test('an opening that fails at its last step closes all it opened and can be retried', async () => {
  const handle = await open(join(folder, 'any'), 'w');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const flush = vi.spyOn(prototype, 'datasync');
  flush.mockResolvedValueOnce(undefined).mockRejectedValueOnce(new Error('EIO'));
  try {
    await expect(openSqliteFile(path)).rejects.toThrow('EIO');
    // A closed one has no descriptor.
    expect((flush.mock.contexts as FileHandle[]).map(({ fd }) => fd)).toEqual([-1, -1]);
  } finally {
    vi.restoreAllMocks();
  }
  await (await openSqliteFile(path)).close();
});

describe('the flush of the write-ahead log', () => {
  let file: SqliteFile;
  /** The promise that flushes of the log wait for. */
  let disk: Promise<void>;
  let flushes: number;
  let handWritten: MockInstance<FileHandle['write']>;
  beforeEach(async () => {
    disk = Promise.resolve();
    flushes = 0;
    file = await openSqliteFile(path);
    const handle = await open(`${path}-wal`);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const { datasync } = prototype;
    vi.spyOn(prototype, 'datasync').mockImplementation(async function (this: FileHandle) {
      flushes += 1;
      await datasync.call(this);
      await disk;
    });
    handWritten = vi.spyOn(prototype, 'write') as typeof handWritten;
    await file.write((writer) => writer.execute('create table kept (id integer)'));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await file.close();
  });

  const keep = (id: number) =>
    file.write((writer) => writer.execute({ sql: 'insert into kept values (?)', args: [id] }));
  /** Whether it has settled, once all other work has finished. */
  const isSettled = async (promise: Promise<unknown>) => {
    const pending = Symbol('pending');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const first = await Promise.race([promise.catch(() => undefined), pending]);
    return first !== pending;
  };

  it('ends before a write is answered, and before a reader that may have seen it is', async () => {
    let diskAnswers = () => {};
    disk = new Promise((resolve) => {
      diskAnswers = resolve;
    });
    const written = keep(1);
    expect(await isSettled(written)).toBe(false);
    expect((await file.client.execute('select id from kept')).rows).toHaveLength(1);
    const read = file.flushed();
    expect(await isSettled(read)).toBe(false);
    diskAnswers();
    await Promise.all([written, read]);
    await file.flushed();
  });

  it('does not block the event loop, and later commits share the next one', async () => {
    let diskAnswers = () => {};
    disk = new Promise((resolve) => {
      diskAnswers = resolve;
    });
    const before = flushes;
    const written = [keep(1)];
    await expect.poll(() => flushes).toBe(before + 1);
    written.push(keep(2));
    await expect.poll(() => flushes).toBe(before + 2);
    for (let id = 3; id <= 20; id += 1) written.push(keep(id));
    expect(await isSettled(Promise.race(written))).toBe(false);
    expect(flushes).toBe(before + 2);
    diskAnswers();
    await Promise.all(written);
    expect(flushes).toBe(before + 3);
  });

  /** The bytes of the log that were written by hand so far, as [from, to]. */
  const rewritten = () =>
    handWritten.mock.calls.map(([, , length = 0, from = 0]) => [
      from,
      Number(from) + Number(length),
    ]);
  const breakDisk = () => {
    disk = Promise.reject(new Error('EIO: the disk is broken'));
    disk.catch(() => undefined);
  };
  /** Retries writing one row until it succeeds; returns its id. */
  const keepAgain = async (from: number) => {
    let id = from;
    const isKept = async () => {
      id += 1;
      return keep(id).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(isKept, { timeout: 5_000, interval: 100 }).toBe(true);
    return id;
  };
  const kept = async () => {
    const { rows } = await file.client.execute('select id from kept order by id');
    return rows.map(({ id }) => id);
  };

  it('that failed blocks acknowledgements and reads until the whole log is rewritten', async () => {
    breakDisk();
    const doubtful = await keep(1).catch((error: unknown) => error);
    expect(databaseFailure(doubtful, 'no')?.reason).toBe('UNKNOWN');
    const refused = await keep(2).catch((error: unknown) => error);
    expect(String(refused)).toContain('the disk is broken');
    expect(databaseFailure(refused, 'no')?.reason).toBe('BACKEND_DOWN');
    await expect(file.flushed()).rejects.toThrow('the disk is broken');
    handWritten.mockClear();
    disk = Promise.resolve();
    const last = await keepAgain(10);
    await file.flushed();
    const [first] = rewritten();
    expect(first?.[0]).toBe(0);
    expect(await kept()).toEqual([1, last]);
    const { rows } = await file.client.execute('pragma integrity_check');
    expect(rows[0]?.[0]).toBe('ok');
  });

  it('that failed and fails again when the log is written again acknowledges nothing', async () => {
    breakDisk();
    await expect(keep(1)).rejects.toThrow();
    const attempts = flushes;
    await expect(keep(2)).rejects.toThrow('the disk is broken');
    await expect.poll(() => flushes).toBeGreaterThan(attempts);
    await expect(keep(3)).rejects.toThrow('the disk is broken');
    expect(await kept()).toEqual([1]);
  });

  it('that failed is final until the file is reopened, if the log is not as written', async () => {
    await keep(1);
    breakDisk();
    await expect(keep(2)).rejects.toThrow();
    const log = readFileSync(`${path}-wal`);
    // As left by a system that has dropped the data it could not write.
    writeAt(`${path}-wal`, log.length - 4_096, Buffer.alloc(4_096));
    disk = Promise.resolve();
    const why = () => keep(3).then(String, String);
    await expect.poll(why, { timeout: 5_000 }).toContain('no longer in the log');
    writeAt(`${path}-wal`, 0, log);
    await file.close();
    file = await openSqliteFile(path);
    await keep(4);
    expect(await kept()).toEqual([1, 2, 4]);
  });

  it('is still done after another program has held the write lock', async () => {
    const other = createClient({ url: fileUrl(path) });
    const lock = await other.transaction('write');
    const written = keep(1);
    expect(await isSettled(written)).toBe(false);
    const before = flushes;
    await lock.rollback();
    other.close();
    await written;
    expect(flushes).toBe(before + 1);
    const synchronous = (from: Client) => from.execute('pragma synchronous');
    expect((await file.write(synchronous)).rows[0]?.[0]).toBe(1);
    expect((await synchronous(file.client)).rows[0]?.[0]).toBe(2);
  });

  it('is repeated by the next process before it answers anything', async () => {
    await file.close();
    vi.restoreAllMocks();
    const other = await openElsewhere();
    await other.kill();
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    file = await openSqliteFile(path);
    expect(statSync(`${path}-wal`).size).toBe(0);
    expect((await file.client.execute('select id from kept')).rows).toHaveLength(1);
  });

  it('is repeated by the next process although another program reads the file', async () => {
    await file.close();
    const other = await openElsewhere();
    await other.kill();
    const reader = createClient({ url: fileUrl(path) });
    const snapshot = await reader.transaction('read');
    await snapshot.execute('select id from kept');
    handWritten.mockClear();
    file = await openSqliteFile(path);
    const { size } = statSync(`${path}-wal`);
    expect(size).toBeGreaterThan(0);
    expect([rewritten()[0]?.[0], rewritten().at(-1)?.[1]]).toEqual([0, size]);
    snapshot.close();
    reader.close();
  });

  it('is of the current log of the file, even when the log restarts', async () => {
    const { ino } = statSync(`${path}-wal`);
    await keep(1);
    await file.client.execute('pragma wal_checkpoint(truncate)');
    await keep(2);
    expect(statSync(`${path}-wal`).ino).toBe(ino);
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  });
});

test('another program that holds the write lock only delays writes', async () => {
  const file = await openSqliteFile(path);
  await file.write((writer) => writer.execute('create table kept (id integer)'));
  const other = createClient({ url: fileUrl(path) });
  const one = (id: number) =>
    file.write((writer) => writer.execute({ sql: 'insert into kept values (?)', args: [id] }));
  const several = (id: number) =>
    file.write((writer) => writer.batch([`insert into kept values (${id})`], 'write'));
  const whole = (id: number) =>
    file.write(async (writer) => {
      const transaction = await writer.transaction('write');
      await transaction.execute(`insert into kept values (${id})`);
      await transaction.commit();
    });
  const aside = (id: number) => file.writeAside([`insert into kept values (${id})`]);
  const jobs = [one, several, whole, aside];
  const before = openDescriptors();
  const kept: number[] = [];
  for (const [at, job] of jobs.entries()) {
    const lock = await other.transaction('write');
    const refused = Promise.all(
      jobs.map((each) => expect(each(-1)).rejects.toThrow(/database is locked/)),
    );
    await refused;
    const waiting = job(at);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(openDescriptors()).toBeLessThanOrEqual(before + 3);
    await lock.rollback();
    await waiting;
    for (const [next, each] of jobs.entries()) await each(10 * at + next + 10);
    kept.push(at, ...jobs.map((_, next) => 10 * at + next + 10));
  }
  other.close();
  await file.close();
  const again = await openSqliteFile(path);
  const { rows } = await again.client.execute('select id from kept order by id');
  expect(rows.map(({ id }) => id)).toEqual(kept.sort((a, b) => a - b));
  await again.close();
});

const isLinux = existsSync('/proc/self/fd');
const openDescriptors = () => (isLinux ? readdirSync('/proc/self/fd').length : 0);

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

test('a file that cannot be opened is reported in one clear line', async () => {
  writeFileSync(join(folder, 'plain'), '');
  const [plain, inFile] = [join(folder, 'plain'), join(folder, 'plain', 'x.db')];
  await expect(openSqliteFile(inFile)).rejects.toThrow(
    `The SQLite file ${inFile} cannot be opened: ${plain} is not a folder.`,
  );
  const nowhere = openSqliteFile(join(folder, 'none', 'x.db'));
  await expect(nowhere).rejects.toThrow(
    `cannot be opened: there is no folder ${join(folder, 'none')}.`,
  );
  writeFileSync(path, 'this is no database at all, though it is long enough to look like one');
  await expect(openSqliteFile(path)).rejects.toThrow(/cannot be opened: [^\n]*$/);
});

describe('what is not a SQLite file is refused and not changed:', () => {
  const modeOf = (name: string) => statSync(join(folder, name)).mode & 0o777;

  test('a folder', async () => {
    const found = join(folder, 'data');
    mkdirSync(found, { mode: 0o755 });
    const opening = openSqliteFile(found);
    await expect(opening).rejects.toThrow(StartError);
    await expect(opening).rejects.toThrow(`${found} cannot be opened: it is a folder.`);
    expect(modeOf('data')).toBe(0o755);
    expect(readdirSync(folder)).toEqual(['data']);
  });

  test('a file of another program', async () => {
    const found = join(folder, 'passwd');
    writeFileSync(found, 'root:x:0:0:root:/root:/bin/bash\n', { mode: 0o644 });
    const opening = openSqliteFile(found);
    await expect(opening).rejects.toThrow(StartError);
    await expect(opening).rejects.toThrow(
      `${found} cannot be opened: it is not a SQLite database.`,
    );
    expect(modeOf('passwd')).toBe(0o644);
    expect(readdirSync(folder)).toEqual(['passwd']);
  });
});

test('a file and those beside it are only for their owner, even existing ones', async () => {
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
