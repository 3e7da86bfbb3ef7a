import { fdatasyncSync, realpathSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Client, createClient, LibsqlError, type Transaction } from '@libsql/client/sqlite3';
import { firstLine } from '../../server/platform/first-line';
import { SerialQueue } from '../../server/platform/serial-queue';
import { DatabaseInUse, DatabaseUnusable } from '../../server/platform/start-error';
import { CommitUnknown, causes } from '../database-failure';
import { beginningFirst } from './beginning-first';
import { foreignFile, unusableFolder } from './foreign-file';
import { refuseHardLink } from './hard-links';
import { LogCheckpoints } from './log-checkpoints';
import { type LogDescriptor, LogFlushing } from './log-flushing';
import { LogIndex } from './log-index';
import { createPrivateFile, restrictToOwner } from './private-file';
import { reuseStatements } from './reuse-statements';
import { rewriteLog } from './rewrite-log';
import { ScriptConnection } from './script-connection';

/** A SQLite file that only this process has open. */
export interface SqliteFile {
  /** For reading only: writes go through `write`. May see a commit that is not on the disk yet. */
  readonly client: Client;
  /**
   * Runs write jobs one after another: a second writer would fail instead of waiting, and a driver
   * that waits would block the event loop and with it the writer it waits for. A job must not call
   * `write` itself. Resolves when what it has committed is on the disk: the commit itself does not
   * wait for that, so the event loop does not either.
   *
   * While another program holds the file's write lock, a job is retried until `BUSY_MAX_MS` after
   * it was queued, so it must be one transaction, or statements that may be repeated. Then it
   * rejects and has written nothing: see `isBusy`.
   *
   * Rejects with `CommitUnknown` if the flush fails, and with `FlushFailed`, without running the
   * job, until what may be lost has been rewritten.
   *
   * @param isAlone called when the job is done: whether a single caller waits for it and no other
   *   caller is near. If nothing else is written then and the disk is quick, the event loop waits
   *   for the disk: see `LogFlushing`
   */
  write<T>(job: (writer: Client) => Promise<T>, isAlone?: () => boolean): Promise<T>;
  /**
   * As `write`, for statements without parameters in one transaction, which runs off the event
   * loop: for many rows that no caller waits for.
   */
  writeAside(statements: readonly string[]): Promise<void>;
  /** Resolves when all that a reader may have seen so far is on the disk. */
  flushed(): Promise<void>;
  /** Moves the log to the file, if no other program reads that. */
  close(): Promise<void>;
}

/**
 * Opens a file with write-ahead log and full flush: acknowledged writes survive a power cut.
 *
 * Only one process may have it open; a second one is refused with `DatabaseInUse`. The claim is an
 * operating-system lock on `<file>.lock`, so it ends with the process, also in a crash. A file with
 * hard links is refused. The file and those beside it are made readable by their owner only.
 */
export async function openSqliteFile(path: string): Promise<SqliteFile> {
  reuseStatements();
  const claim = await claimFile(path);
  const ends: (() => unknown)[] = [];
  const connect = (concurrency: number) => {
    const client = createClient({ url: fileUrl(path), concurrency });
    ends.push(() => client.close());
    return client;
  };
  try {
    createPrivateFile(path);
    for (const suffix of ['-wal', '-shm']) restrictToOwner(canonical(path) + suffix);
    const client = connect(READERS);
    await client.execute('pragma journal_mode = wal');
    await moveLog(client);
    const writer = connect(1);
    for (const setting of WRITER_SETTINGS) await writer.execute(setting);
    const index = new LogIndex(canonical(path));
    ends.push(() => index.close());
    const log: FileHandle[] = [];
    while (log.length < FLUSHES) {
      const descriptor = await open(`${canonical(path)}-wal`, 'r+');
      ends.push(() => descriptor.close());
      log.push(descriptor);
    }
    await rewriteUnwritten(writer, log, index);
    for (const descriptor of log) await descriptor.datasync();
    return queuedFile({ path, client, writer: beginningFirst(writer), log, index, claim });
  } catch (cause) {
    for (const end of ends) await end();
    await claim.release();
    throw unusable(path, cause);
  }
}

/** Connections for reading. While one is open, the log stays the same file. */
const READERS = 4;

/** The size of the page cache of the connection that writes. */
const PAGES_KEPT_KIB = 16 * 1024;

/** Flushes of the log that run at the same time. */
const FLUSHES = 2;

/** How long a write waits for another program's lock; shorter than any caller's time limit. */
const BUSY_MAX_MS = 3_000;
const BUSY_PAUSE_MS = 50;

interface OpenFile {
  path: string;
  client: Client;
  writer: Client;
  /** The write-ahead log, once for each flush that may run. */
  log: FileHandle[];
  index: LogIndex;
  claim: Claim;
}

function queuedFile({ path, client, writer, log, index, claim }: OpenFile): SqliteFile {
  const writes = new SerialQueue();
  const aside = new ScriptConnection(canonical(path), WRITER_SETTINGS);
  const checkpoints = new LogCheckpoints(canonical(path), index, (work) => writes.run(work));
  const rewrite = (flushAll: () => Promise<void>) =>
    writes.run(async () => {
      await rewriteUnwritten(writer, log, index);
      await flushAll();
    });
  const flushing = new LogFlushing(log.map(logDescriptor), () => performance.now(), rewrite);
  /** Write jobs whose commits are not known to be on the disk. */
  let unflushed = 0;
  let isClosed = false;
  const flush = (isAlone: () => boolean): Promise<void> =>
    unflushed === 1 && !checkpoints.isMoving && isAlone()
      ? flushing.flushAlone()
      : flushing.flush();
  /** Runs after failed jobs too: they may have committed something. */
  const keep = async (isAlone: () => boolean): Promise<void> => {
    if (isClosed) return;
    if (!flushing.hasFailed) checkpoints.afterWrite();
    await flush(isAlone).catch((cause) => {
      throw new CommitUnknown('What was committed may not be on the disk.', { cause });
    });
  };
  const inTurn = async <T>(job: () => Promise<T>, isAlone = () => false): Promise<T> => {
    if (flushing.hasFailed) await flushing.flush();
    const giveUpAt = performance.now() + BUSY_MAX_MS;
    unflushed += 1;
    try {
      return await writes.run(() => onceWritable(job, giveUpAt));
    } finally {
      await keep(isAlone).finally(() => {
        unflushed -= 1;
      });
    }
  };
  return {
    client,
    write: (job, isAlone) => inTurn(() => job(writer), isAlone),
    writeAside: (statements) => inTurn(() => aside.run(statements)),
    async flushed() {
      if (unflushed > 0 || flushing.hasFailed) await flushing.flush();
    },
    async close() {
      do {
        await writes.idle();
        await flushing.flush().catch(() => undefined);
      } while (unflushed > 0 && !flushing.hasFailed);
      isClosed = true;
      await flushing.settled();
      // SQLite does so with its last connection, but the driver ends none before all statements of
      // it are collected as garbage.
      if (!flushing.hasFailed) await checkpoints.moveLast();
      await checkpoints.close();
      aside.close();
      writer.close();
      client.close();
      index.close();
      for (const descriptor of log) await descriptor.close();
      await claim.release();
    },
  };
}

function logDescriptor(file: FileHandle): LogDescriptor {
  return { sync: () => file.datasync(), syncNow: () => fdatasyncSync(file.fd) };
}

/**
 * Empties the log: an earlier process may have committed what it could no longer flush. While
 * another program reads the file, or on a full disk, it stays in the log.
 */
async function moveLog(client: Client): Promise<void> {
  await client.execute('pragma wal_checkpoint(truncate)').catch(() => undefined);
}

/** Rewrites the content of the log, while no other program writes. */
async function rewriteUnwritten(
  writer: Client,
  [descriptor]: FileHandle[],
  index: LogIndex,
): Promise<void> {
  if (!descriptor || index.pages() === 0) return;
  const turn = await writer.transaction('write');
  try {
    await rewriteLog(descriptor, index.end());
  } finally {
    turn.close();
  }
}

/**
 * A connection that writes leaves it to `LogFlushing` to flush the log after a commit, and to
 * `LogCheckpoints` to move its content to the file: on the thread of the event loop that would
 * block everything else for as long as the disk takes. SQLite still flushes the log before it moves
 * its content, the file after that, and the head of a restarted log.
 *
 * Without a page cache, writes of a busy server would keep reading the same pages from the log.
 */
const WRITER_SETTINGS = [
  'pragma synchronous = normal',
  'pragma wal_autocheckpoint = 0',
  `pragma cache_size = -${PAGES_KEPT_KIB}`,
];

/**
 * Runs a job as soon as no other program writes.
 *
 * @param giveUpAt an instant of `performance.now()`; later attempts are not made
 */
async function onceWritable<T>(job: () => Promise<T>, giveUpAt: number): Promise<T> {
  for (;;) {
    try {
      return await job();
    } catch (error) {
      if (!isBusy(error) || performance.now() + BUSY_PAUSE_MS >= giveUpAt) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS));
  }
}

interface Claim {
  release(): Promise<void>;
}

async function claimFile(path: string): Promise<Claim> {
  refuseHardLink(path);
  let client: Client | undefined;
  let held: Transaction;
  try {
    const lock = `${canonical(path)}.lock`;
    const why = foreignFile(path, lock);
    if (why) throw new DatabaseUnusable(sentence(path, why));
    createPrivateFile(lock);
    client = createClient({ url: fileUrl(lock) });
    held = await client.transaction('write');
  } catch (cause) {
    client?.close();
    if (isBusy(cause)) {
      throw new DatabaseInUse(
        `Another Lockyard process has ${path} open. Only one may use a SQLite file; stop it ` +
          'first, or use MySQL.',
        { cause },
      );
    }
    throw unusable(path, cause);
  }
  const owner = client;
  return {
    async release() {
      await held.rollback();
      owner.close();
    },
  };
}

/** The same result for every path to one file. */
function canonical(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return join(realpathSync(dirname(path)), basename(path));
  }
}

export function fileUrl(path: string): string {
  return `file:${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Whether a job wrote nothing because another program held the lock. Drivers wrap errors. */
export const isBusy = (error: unknown): boolean =>
  causes(error).some((each) => each instanceof LibsqlError && /^SQLITE_BUSY/.test(each.code));

function unusable(path: string, cause: unknown): DatabaseUnusable {
  if (cause instanceof DatabaseUnusable) return cause;
  const why = unusableFolder(dirname(path)) ?? firstLine(cause);
  return new DatabaseUnusable(sentence(path, why), { cause });
}

const sentence = (path: string, why: string) => `The SQLite file ${path} cannot be opened: ${why}.`;
