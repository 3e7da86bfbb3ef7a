import { crc32 } from 'node:zlib';
import mysql from 'mysql2/promise';
import type { BenchLock } from './bench-lock';

const SEGMENTS = 100;
const LEASE_SECONDS = 30;

export interface SegmentedOptions {
  leaseSeconds?: number;
  /**
   * The strategy as described: every change of a record locks its segment first. Without it a
   * release is one plain update, which is as safe and never waits behind polling callers: the
   * stronger opponent.
   */
  releasesUnderSegment?: boolean;
}

/**
 * The opponent: a lock table guarded by 100 central rows, the form that teams write by hand. An
 * acquire locks the segment's row, looks at the record, and creates or updates it; one transaction
 * over a pooled connection, prepared statements. No token, no owner, no queue, no history.
 *
 * Strategy 8 of the lock strategies that Lockyard's Lab runs: `center_lock_00` to `_99`, chosen by
 * crc32 of the name.
 */
export async function openSegmentedLock(
  url: string,
  connections: number,
  { leaseSeconds = LEASE_SECONDS, releasesUnderSegment = false }: SegmentedOptions = {},
): Promise<BenchLock> {
  const pool = mysql.createPool({
    uri: url,
    connectionLimit: connections,
    maxIdle: connections,
    timezone: 'Z',
  });
  await pool.query(
    'CREATE TABLE segmented_locks (name VARCHAR(128) NOT NULL PRIMARY KEY, count INT NOT NULL, deadline DATETIME NOT NULL, description VARCHAR(255) NOT NULL, created_at DATETIME NOT NULL, modified_at DATETIME NOT NULL, status TINYINT NOT NULL)',
  );
  const segments = Array.from({ length: SEGMENTS }, (_, i) => [segmentName(i)]);
  await pool.query(
    `INSERT INTO segmented_locks VALUES ${segments.map(() => "(?, 0, NOW(), '', NOW(), NOW(), 0)")}`,
    segments.flat(),
  );
  const underSegment = async <T>(
    lock: string,
    work: (connection: mysql.PoolConnection) => Promise<T>,
  ): Promise<T> => {
    const connection = await pool.getConnection();
    try {
      await connection.query('BEGIN');
      const segment = segmentName(crc32(lock) % SEGMENTS);
      await connection.execute('SELECT name FROM segmented_locks WHERE name = ? FOR UPDATE', [
        segment,
      ]);
      const result = await work(connection);
      await connection.query('COMMIT');
      return result;
    } catch (error) {
      await connection.query('ROLLBACK');
      throw error;
    } finally {
      connection.release();
    }
  };
  const letGo = (from: mysql.Pool | mysql.PoolConnection, lock: string) =>
    from.execute('UPDATE segmented_locks SET status = 0 WHERE name = ?', [lock]);
  return {
    name: `hand-written, 100 segments${releasesUnderSegment ? ', releases under them' : ''}`,
    async tryAcquire(lock) {
      const isTaken = await underSegment(lock, (connection) =>
        take(connection, lock, leaseSeconds),
      );
      return isTaken ? 'held' : null;
    },
    async release(lock) {
      if (releasesUnderSegment) await underSegment(lock, (connection) => letGo(connection, lock));
      else await letGo(pool, lock);
    },
    close: () => pool.end(),
  };
}

async function take(
  connection: mysql.PoolConnection,
  lock: string,
  leaseSeconds: number,
): Promise<boolean> {
  const [rows] = await connection.execute<mysql.RowDataPacket[]>(
    'SELECT status = 0 OR deadline < NOW() AS is_free FROM segmented_locks WHERE name = ?',
    [lock],
  );
  const [record] = rows;
  if (record && !record.is_free) return false;
  if (record) {
    await connection.execute(
      `UPDATE segmented_locks SET count = count + 1, status = 1, deadline = NOW() + INTERVAL ${leaseSeconds} SECOND, modified_at = NOW() WHERE name = ?`,
      [lock],
    );
  } else {
    await connection.execute(
      `INSERT INTO segmented_locks VALUES (?, 1, NOW() + INTERVAL ${leaseSeconds} SECOND, '', NOW(), NOW(), 1)`,
      [lock],
    );
  }
  return true;
}

function segmentName(i: number): string {
  return `center_lock_${String(i).padStart(2, '0')}`;
}
