import type { SqlDialect, SqlSession } from '../sql-database';

const OPTIONS: Record<SqlDialect, string> = {
  // A binary collation, or "a" and "A" would be one lock.
  mysql: 'ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  sqlite: '',
};

/**
 * Creates the table of strategies 6, 7, 8 and 10. In a lock's record, `count` is how often it was
 * granted, `deadline` the end of its lease on the database's clock in UTC, `status` 1 while it is
 * held and 0 after its release, which deletes no row. In a counter's record, `count` is its value.
 */
export async function createLockTable(database: SqlSession, table: string): Promise<void> {
  await database.run(
    `CREATE TABLE IF NOT EXISTS ${table} (
       name VARCHAR(128) NOT NULL PRIMARY KEY,
       count BIGINT NOT NULL,
       deadline DATETIME(6) NOT NULL,
       description VARCHAR(255) NOT NULL,
       create_time DATETIME(6) NOT NULL,
       modify_time DATETIME(6) NOT NULL,
       status TINYINT NOT NULL
     ) ${OPTIONS[database.dialect]}`,
  );
}

/** The lease that a lock has unless its caller asks for another: a year. */
export const YEAR_LEASE_MS = 365 * 24 * 60 * 60 * 1_000;

/**
 * The same product in 32-bit integers, as computed by the code that the strategies come from: about
 * 17 days. A lock that was meant to be held for a year was free in the third week.
 */
export const OVERFLOWED_YEAR_MS = (365 * 24 * 60 * 60 * 1_000) | 0;

export interface LockTableOptions {
  table?: string;
  /** How long the lock is held unless it is released. Default: a year. */
  leaseMs?: number;
  /** The purpose of the lock, for people; written when its record is created. */
  description?: string;
}
