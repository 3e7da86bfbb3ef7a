import mysql from 'mysql2/promise';
import {
  createSegmentedLockTable,
  releaseSegmentedTableLock,
  type SegmentedOptions,
  trySegmentedTableLock,
} from '@/server/strategies/tables/segmented-table-lock';
import type { BenchLock } from './bench-lock';

const LEASE_MS = 30_000;

/**
 * The opponent: strategy 8, a lock table guarded by 100 central rows, the form that teams write by
 * hand. An acquire is one transaction of prepared statements, over a pooled connection. It has no
 * token, no owner, no queue and no history.
 */
export async function openSegmentedLock(
  url: string,
  connections: number,
  {
    leaseMs = LEASE_MS,
    releasesUnderSegment = false,
  }: Pick<SegmentedOptions, 'leaseMs' | 'releasesUnderSegment'> = {},
): Promise<BenchLock> {
  const pool = mysql.createPool({
    uri: url,
    connectionLimit: connections,
    maxIdle: connections,
    timezone: 'Z',
  });
  await createSegmentedLockTable(pool);
  return {
    name: `hand-written, 100 segments${releasesUnderSegment ? ', releases under them' : ''}`,
    async tryAcquire(lock) {
      return (await trySegmentedTableLock(pool, lock, { leaseMs })) ? 'held' : null;
    },
    release: (lock) => releaseSegmentedTableLock(pool, lock, { releasesUnderSegment }),
    close: () => pool.end(),
  };
}
