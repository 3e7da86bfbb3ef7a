import type { Client, Transaction } from '@libsql/client';
import { SerialQueue } from '@/server/platform/serial-queue';
import type { SqlDatabase, SqlSession, SqlValue } from './sql-database';

/**
 * Embedded SQLite over a client of the caller. Writes and transactions run one after another: a
 * second writer of this process would block the event loop, and with it the writer that it waits
 * for. The file should be in WAL mode, so that readers do not stop the writer; a client that shares
 * it with another thread or process needs a `timeout`.
 */
export function sqliteDatabase(client: Client): SqlDatabase {
  const writes = new SerialQueue();
  const direct = sessionOn(client);
  return {
    ...direct,
    run: (sql, params) => writes.run(() => direct.run(sql, params)),
    transaction: (work) =>
      writes.run(async () => {
        const transaction = await client.transaction('write');
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
