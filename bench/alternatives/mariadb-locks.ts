import mysql, { type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import { createRowLockTable, lockRow } from '@/server/strategies/sessions/with-row-lock';
import type { BenchLock } from '../bench-lock';
import { openLockByConnection } from './lock-by-connection';

const LEASE_MS = 30_000;
const WAIT_S = 10;

/** Where an alternative on MariaDB keeps its locks, and how many connections use it. */
export interface MariadbPlace {
  /** An empty database. */
  url: string;
  connections: number;
}

/** `GET_LOCK` and `RELEASE_LOCK`: the server keeps the lock in memory for the connection. */
export function openGetLock({ url, connections }: MariadbPlace): BenchLock {
  return openLockByConnection(url, connections, {
    name: 'GET_LOCK',
    async lock(connection, name) {
      const [[row]] = await connection.execute<RowDataPacket[]>('SELECT GET_LOCK(?, ?) AS got', [
        name,
        WAIT_S,
      ]);
      if (row?.got !== 1) throw new Error('The bench did not get a lock.');
    },
    async unlock(connection, name) {
      await connection.execute('SELECT RELEASE_LOCK(?)', [name]);
    },
  });
}

/** Strategy 3: a row is locked for as long as a transaction opened for this lock lasts. */
export async function openRowLock(
  { url, connections }: MariadbPlace,
  names: string[],
): Promise<BenchLock> {
  const pool = mysql.createPool({ uri: url });
  await createRowLockTable(pool, names);
  await pool.end();
  return openLockByConnection(url, connections, {
    name: 'SELECT … FOR UPDATE',
    async lock(connection, name) {
      await connection.query('BEGIN');
      await lockRow(connection, name);
    },
    async unlock(connection) {
      await connection.query('COMMIT');
    },
  });
}

/** A row with an owner and the end of the lease: one statement acquires it, another releases it. */
export async function openUpsertLease({ url, connections }: MariadbPlace): Promise<BenchLock> {
  const pool = openPool(url, connections);
  await pool.query(
    `CREATE TABLE leases (
       name VARCHAR(128) NOT NULL PRIMARY KEY,
       owner VARCHAR(64) NOT NULL,
       expires_at DATETIME(6) NOT NULL
     ) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  );
  return {
    name: 'lease by upsert',
    async tryAcquire(name, owner) {
      // Assigned from left to right: the owner first, and the end only for that owner.
      const [{ affectedRows }] = await pool.execute<ResultSetHeader>(
        `INSERT INTO leases (name, owner, expires_at)
         VALUES (?, ?, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)
         ON DUPLICATE KEY UPDATE
           owner = IF(expires_at <= UTC_TIMESTAMP(6), VALUES(owner), owner),
           expires_at = IF(owner = VALUES(owner), VALUES(expires_at), expires_at)`,
        [name, owner, LEASE_MS * 1_000],
      );
      return affectedRows > 0 ? 'held' : null;
    },
    async release(name, owner) {
      const [{ affectedRows }] = await pool.execute<ResultSetHeader>(
        `UPDATE leases SET expires_at = '1970-01-01' WHERE name = ? AND owner = ?`,
        [name, owner],
      );
      if (affectedRows !== 1) throw new Error('The bench lost a lock.');
    },
    close: () => pool.end(),
  };
}

/**
 * No lock: updates one row by its key, with a commit for each update. One commit counts as a cycle.
 */
export async function openDurableCommits(
  { url, connections }: MariadbPlace,
  names: string[],
): Promise<BenchLock> {
  const pool = openPool(url, connections);
  await pool.query(
    'CREATE TABLE steps (name VARCHAR(128) NOT NULL PRIMARY KEY, n BIGINT NOT NULL) ' +
      'ENGINE = InnoDB',
  );
  await pool.query('INSERT INTO steps (name, n) VALUES ?', [names.map((name) => [name, 0])]);
  return {
    name: 'single durable commits',
    async tryAcquire(name) {
      await pool.execute('UPDATE steps SET n = n + 1 WHERE name = ?', [name]);
      return 'committed';
    },
    async release() {},
    close: () => pool.end(),
  };
}

function openPool(url: string, connections: number) {
  return mysql.createPool({
    uri: url,
    connectionLimit: connections,
    maxIdle: connections,
    timezone: 'Z',
    // With this flag, only changed rows count as affected: an upsert that found the lease held
    // reports none.
    flags: ['-FOUND_ROWS'],
  });
}
