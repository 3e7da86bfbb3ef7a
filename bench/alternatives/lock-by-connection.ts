import mysql, { type PoolConnection } from 'mysql2/promise';
import type { BenchLock } from '../bench-lock';

/** How a connection waits for a lock, takes it, and releases it. */
interface ConnectionLock {
  name: string;
  lock(connection: PoolConnection, name: string): Promise<void>;
  unlock(connection: PoolConnection, name: string): Promise<void>;
}

/** Locks that a connection holds: each holder and each waiter has a connection of its own. */
export function openLockByConnection(
  url: string,
  connections: number,
  { name, lock, unlock }: ConnectionLock,
): BenchLock {
  const pool = mysql.createPool({
    uri: url,
    connectionLimit: connections,
    maxIdle: connections,
  });
  const held = new Map<string, PoolConnection>();
  return {
    name,
    async tryAcquire(wanted, owner) {
      const connection = await pool.getConnection();
      await lock(connection, wanted);
      held.set(owner, connection);
      return 'held';
    },
    async release(wanted, owner) {
      const connection = held.get(owner);
      if (!connection) throw new Error('The bench lost a lock.');
      held.delete(owner);
      await unlock(connection, wanted);
      connection.release();
    },
    close: () => pool.end(),
  };
}
