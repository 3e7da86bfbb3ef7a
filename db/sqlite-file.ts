import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Client, createClient, LibsqlError, type Transaction } from '@libsql/client';
import { StartError } from './start-error';

/** A SQLite file that this process alone has open. */
export interface SqliteFile {
  /** For reading. Writes go through `write`. */
  readonly client: Client;
  /**
   * Runs write jobs one after another: a second writer would not wait but fail, and a driver that waits would block
   * the event loop and with it the writer it waits for. A job must not call `write` itself.
   */
  write<T>(job: (client: Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Opens a file with write-ahead log and full flush: what was answered survives a power cut.
 *
 * Only one process may have it open; a second one is refused with a `StartError`. The claim is an operating system's
 * lock on `<file>.lock`, so it ends with the process however that ends.
 */
export async function openSqliteFile(path: string): Promise<SqliteFile> {
  const claim = await claimFile(path);
  try {
    const client = createClient({ url: fileUrl(path), concurrency: CONNECTIONS });
    await client.execute('pragma journal_mode = wal');
    return queuedFile(client, claim);
  } catch (cause) {
    await claim.release();
    throw new StartError(`The SQLite file ${path} cannot be opened: ${reason(cause)}.`, { cause });
  }
}

/** One writer, and readers while its transaction is open. */
const CONNECTIONS = 4;

function queuedFile(client: Client, claim: Claim): SqliteFile {
  let tail: Promise<unknown> = Promise.resolve();
  return {
    client,
    write(job) {
      const run = () => job(client);
      const done = tail.then(run, run);
      tail = done.catch(() => undefined);
      return done;
    },
    async close() {
      await tail;
      client.close();
      await claim.release();
    },
  };
}

interface Claim {
  release(): Promise<void>;
}

async function claimFile(path: string): Promise<Claim> {
  let client: Client | undefined;
  let held: Transaction;
  try {
    client = createClient({ url: fileUrl(`${canonical(path)}.lock`) });
    held = await client.transaction('write');
  } catch (cause) {
    client?.close();
    if (isBusy(cause)) {
      throw new StartError(
        `Another Lockyard server has ${path} open. Only one may use a SQLite file; stop it first, or use MySQL.`,
        { cause },
      );
    }
    throw new StartError(`The SQLite file ${path} cannot be opened: ${reason(cause)}.`, { cause });
  }
  const owner = client;
  return {
    async release() {
      await held.rollback();
      owner.close();
    },
  };
}

/** The same file by whatever path it is reached. */
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

const isBusy = (error: unknown) => error instanceof LibsqlError && /^SQLITE_BUSY/.test(error.code);

const reason = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
