/*
 * Strategy 2: a row lock that belongs to a database session.
 *
 * `SELECT … FOR UPDATE` in an open transaction locks the row; others wait for it inside the
 * database; commit or rollback frees it. The same connection must commit, so it is bound to the
 * caller: an `AsyncLocalStorage` keeps it for everything that the caller's code awaits, as a
 * thread-local does where a thread serves one caller. For a missing row the answer is false, never
 * an error.
 *
 * Known limits: one pooled connection for each held lock, so a pool of 10 is 10 locks, and the
 * eleventh caller waits for a connection, which the database cannot show. No lease: a session that
 * hangs in its transaction (a ghost) stalls all others until their waits end, and logs nothing. No
 * owner, and no re-entry over another connection: a caller would wait for itself. The lock ends
 * with the connection, whatever the caller is doing. Nothing is written, so no release is flushed
 * to disk: no form of locking in MySQL hands a lock over faster.
 *
 * Source: catalogue, section A, strategy 2; a write-up on stock deduction by MySQL row locks.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise';
import { rollBack } from '../in-transaction';
import { NotGranted } from '../not-granted';
import { type LockWaitOptions, withLockWait } from './lock-wait';

/** The state of a caller: the connection of its open transaction, if it has one. */
interface Session {
  connection: Promise<PoolConnection> | null;
}

/** The row locks of the callers of one pool, over a table of `createLockResourceTable`. */
export class SessionLocks {
  private readonly sessions = new AsyncLocalStorage<Session>();

  constructor(
    private readonly pool: Pool,
    private readonly table = 'lock_resources',
  ) {}

  /**
   * Runs work as one caller: `lock`, `connection`, `commit` and `rollback` within it act on the
   * caller's own session. A transaction that it leaves open is rolled back.
   */
  async asCaller<T>(work: () => Promise<T>): Promise<T> {
    const session: Session = { connection: null };
    try {
      return await this.sessions.run(session, work);
    } finally {
      await end(session, rollBack);
    }
  }

  /**
   * Begins a transaction unless the caller has one open, and locks the row in it. False: there is
   * no such row, and nothing new was locked. Rejects with `NotGranted` if the row stays locked for
   * `waitMs`; the caller keeps what it had locked before.
   */
  async lock(transactionId: string, wait: LockWaitOptions = {}): Promise<boolean> {
    const session = this.session();
    const isFirst = session.connection === null;
    session.connection ??= begin(this.pool).catch((error: unknown) => {
      session.connection = null;
      throw error;
    });
    const connection = await session.connection;
    const [rows] = await withLockWait(
      connection,
      transactionId,
      () =>
        connection.execute<RowDataPacket[]>(
          `SELECT transaction_id FROM ${this.table} WHERE transaction_id = ? FOR UPDATE`,
          [transactionId],
        ),
      wait,
    );
    // The gap of the missing row is locked as well: other callers could not create the row.
    if (rows.length === 0 && isFirst) await end(session, rollBack);
    return rows.length > 0;
  }

  /** The connection of the caller's transaction, for its own statements under the lock. */
  async connection(): Promise<PoolConnection> {
    const { connection } = this.session();
    if (!connection) throw new Error('This caller has no lock.');
    return connection;
  }

  /** Commits what the caller did, and frees all that it has locked. */
  commit(): Promise<void> {
    return end(this.session(), async (connection) => {
      try {
        await connection.query('COMMIT');
        connection.release();
      } catch (error) {
        connection.destroy();
        throw error;
      }
    });
  }

  /** Undoes what the caller did, and frees all that it has locked. */
  rollback(): Promise<void> {
    return end(this.session(), rollBack);
  }

  private session(): Session {
    const session = this.sessions.getStore();
    if (!session) throw new Error('Row locks are taken within `asCaller`.');
    return session;
  }
}

/**
 * Locks the row, runs the work with the connection, and commits; rolls back on any error. Rejects
 * with `NotGranted` if there is no such row, or it stays locked for `waitMs`.
 */
export function withSessionLock<T>(
  locks: SessionLocks,
  transactionId: string,
  work: (connection: PoolConnection) => Promise<T>,
  wait: LockWaitOptions = {},
): Promise<T> {
  return locks.asCaller(async () => {
    if (!(await locks.lock(transactionId, wait))) {
      throw new NotGranted(transactionId, 'it has no row');
    }
    const result = await work(await locks.connection());
    await locks.commit();
    return result;
  });
}

async function begin(pool: Pool): Promise<PoolConnection> {
  const connection = await pool.getConnection();
  try {
    await connection.query('BEGIN');
    return connection;
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

async function end(
  session: Session,
  how: (connection: PoolConnection) => Promise<void>,
): Promise<void> {
  const { connection } = session;
  session.connection = null;
  // A transaction that could not begin has nothing to end, and `lock` passes its error on.
  const opened = await connection?.catch(() => null);
  if (opened) await how(opened);
}
