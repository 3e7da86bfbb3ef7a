import type { Pool, PoolConnection } from 'mysql2/promise';

/**
 * Begins, runs the work, commits, and returns the connection to the pool. If anything fails, it
 * rolls back and rejects with that failure; an error of the commit itself leaves open whether it
 * took effect.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (connection: PoolConnection) => Promise<T>,
): Promise<T> {
  const connection = await pool.getConnection();
  try {
    await connection.query('BEGIN');
    const result = await work(connection);
    await connection.query('COMMIT');
    connection.release();
    return result;
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

/** Frees all locks of the connection's transaction, even if the connection is broken. */
export async function rollBack(connection: PoolConnection): Promise<void> {
  try {
    await connection.query('ROLLBACK');
    connection.release();
  } catch {
    // Closing it ends its session, and with that its transaction.
    connection.destroy();
  }
}
