/*
 * Strategy 9: a lock table with a holder.
 *
 * The lock is the existence of a row. In one transaction the caller inserts a row with its key and
 * itself as the holder, unless there is one; selects the row for update; and compares the holder:
 * the lock is granted if the row is the caller's own. A release deletes by key and holder, so that
 * no caller can release what another holds. It runs on MySQL, on MariaDB, and on embedded SQLite,
 * where a transaction is the only writer and needs no `FOR UPDATE`.
 *
 * Known limits: no lease. The lock of a dead holder, or of one whose release failed, remains until
 * an operator deletes its row; `acquire_time` says how old it is, not whether its holder is alive.
 * The holder can enter again, but entries are not counted: the first release frees the lock. No
 * queue: the next holder is the caller with the first attempt.
 *
 * Source: catalogue, section B, strategy 9; a write-up that compares locks in a database and in
 * Redis.
 */
import { randomUUID } from 'node:crypto';
import { type PollOptions, pollUntilGranted } from '../poll-until-granted';
import { type SqlDatabase, type SqlDialect, UTC_NOW } from '../sql-database';
import { thenRelease } from '../then-release';

export interface HolderLockOptions {
  /** Default `held_locks`. */
  table?: string;
}

const OPTIONS: Record<SqlDialect, string> = {
  // A binary collation, or "a" and "A" would be one lock, and one holder.
  mysql: 'ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  sqlite: '',
};

/**
 * Leaves an existing row as it is. On MySQL it locks that row exclusively from the start. A plain
 * insert, or `INSERT IGNORE`, would lock it shared, and callers that then select it for update
 * would deadlock.
 */
const UNLESS_EXISTS: Record<SqlDialect, string> = {
  mysql: 'ON DUPLICATE KEY UPDATE lock_key = lock_key',
  sqlite: 'ON CONFLICT (lock_key) DO NOTHING',
};

const FOR_UPDATE: Record<SqlDialect, string> = { mysql: 'FOR UPDATE', sqlite: '' };

export async function createHolderTable(
  database: SqlDatabase,
  table = 'held_locks',
): Promise<void> {
  await database.run(
    `CREATE TABLE IF NOT EXISTS ${table} (
       lock_key VARCHAR(255) NOT NULL PRIMARY KEY,
       lock_holder VARCHAR(255) NOT NULL,
       acquire_time DATETIME(6) NOT NULL
     ) ${OPTIONS[database.dialect]}`,
  );
}

/** Tries once. True: the holder has the lock, now or already. False: another one holds it. */
export function tryHolderTableLock(
  database: SqlDatabase,
  key: string,
  holder: string,
  { table = 'held_locks' }: HolderLockOptions = {},
): Promise<boolean> {
  const { dialect } = database;
  return database.transaction(async (session) => {
    await session.run(
      `INSERT INTO ${table} (lock_key, lock_holder, acquire_time)
       VALUES (?, ?, ${UTC_NOW[dialect]}) ${UNLESS_EXISTS[dialect]}`,
      [key, holder],
    );
    const [row] = await session.rows<{ lock_holder: string }>(
      `SELECT lock_holder FROM ${table} WHERE lock_key = ? ${FOR_UPDATE[dialect]}`,
      [key],
    );
    return row?.lock_holder === holder;
  });
}

/** False: this holder did not have the lock, and nothing was released. */
export async function releaseHolderTableLock(
  database: SqlDatabase,
  key: string,
  holder: string,
  { table = 'held_locks' }: HolderLockOptions = {},
): Promise<boolean> {
  const deleted = await database.run(
    `DELETE FROM ${table} WHERE lock_key = ? AND lock_holder = ?`,
    [key, holder],
  );
  return deleted === 1;
}

/**
 * Runs the work under the lock, by default as a new holder. Rejects with `NotGranted` if no attempt
 * succeeds in time.
 */
export async function withHolderTableLock<T>(
  database: SqlDatabase,
  key: string,
  work: () => Promise<T>,
  { holder: named, ...options }: HolderLockOptions & PollOptions & { holder?: string } = {},
): Promise<T> {
  const holder = named ?? randomUUID();
  const release = () => releaseHolderTableLock(database, key, holder, options);
  const attempt = async () => (await tryHolderTableLock(database, key, holder, options)) || null;
  try {
    await pollUntilGranted(key, attempt, options);
  } catch (error) {
    // The lock may be granted although the answer was lost. A named holder may have had it before.
    if (named === undefined) await release().catch(() => undefined);
    throw error;
  }
  return thenRelease(work, release);
}
