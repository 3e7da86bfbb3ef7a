import { setTimeout } from 'node:timers/promises';
import { type Client, LibsqlError, type Transaction } from '@libsql/client/sqlite3';
import { SerialQueue } from '@/server/platform/serial-queue';
import type { SqlDatabase, SqlSession, SqlValue } from './sql-database';

const BUSY_MAX_MS = 5_000;
const BUSY_PAUSE_MS = 10;

/**
 * Embedded SQLite over the caller's client, whose file is in WAL mode, so that readers do not block
 * the writer. Writes and transactions run one after another: a second writer of this client would
 * fail, not wait. While another thread or process writes to the file they are retried, for up to
 * 5 s.
 */
export function sqliteDatabase(client: Client): SqlDatabase {
  const writes = new SerialQueue();
  const direct = sessionOn(client);
  return {
    ...direct,
    run: (sql, params) => writes.run(() => onceWritable(client, () => direct.run(sql, params))),
    transaction: (work) =>
      writes.run(async () => {
        const transaction = await onceWritable(client, () => client.transaction('write'));
        try {
          const result = await work(sessionOn(transaction));
          await transaction.commit();
          return result;
        } finally {
          // Rolls back what was not committed.
          transaction.close();
        }
      }),
  };
}

function sessionOn(on: Pick<Client | Transaction, 'execute'>): SqlSession {
  return {
    dialect: 'sqlite',
    async rows<Row extends object>(sql: string, args: SqlValue[] = []) {
      const { rows } = await on.execute({ sql, args });
      return rows as unknown as Row[];
    },
    async run(sql, args = []) {
      const { rowsAffected } = await on.execute({ sql, args });
      return rowsAffected;
    },
  };
}

/** @param begin writes nothing if it rejects because the file is busy */
async function onceWritable<T>(client: Client, begin: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + BUSY_MAX_MS;
  for (;;) {
    try {
      return await begin();
    } catch (error) {
      if (!isBusy(error)) throw error;
      // libsql leaves the refused BEGIN open; later statements on its connection never commit.
      client.reconnect();
      if (performance.now() > giveUpAt) throw error;
    }
    await setTimeout(BUSY_PAUSE_MS);
  }
}

const isBusy = (error: unknown) =>
  error instanceof LibsqlError && error.code.startsWith('SQLITE_BUSY');
