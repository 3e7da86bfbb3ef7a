import type { Pool, PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { inTransaction } from './in-transaction';
import type { SqlDatabase, SqlSession } from './sql-database';

/** MySQL or MariaDB over the caller's pool, with prepared statements. */
export function mysqlDatabase(pool: Pool): SqlDatabase {
  return {
    ...mysqlSession(pool),
    transaction: (work) => inTransaction(pool, (connection) => work(mysqlSession(connection))),
  };
}

/** @param on must have the flag FOUND_ROWS, as connections of mysql2 have by default */
export function mysqlSession(on: Pool | PoolConnection): SqlSession {
  return {
    dialect: 'mysql',
    async rows<Row extends object>(sql: string, params: (string | number | null)[] = []) {
      const [rows] = await on.execute<RowDataPacket[]>(sql, params);
      return rows as unknown as Row[];
    },
    async run(sql, params = []) {
      const [result] = await on.execute<ResultSetHeader>(sql, params);
      return result.affectedRows;
    },
  };
}
