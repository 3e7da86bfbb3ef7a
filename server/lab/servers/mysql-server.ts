import { createPool } from 'mysql2';
import type { Pool } from 'mysql2/promise';
import { connectionOptions } from '@/db/mysql/mysql-pool';
import { OWN_SESSION } from '@/db/mysql/own-session';
import { mysqlLocation } from '@/db/urls/backend-url';

/** The settings that the strategies rely on: after `OWN_SESSION`, the defaults of the servers. */
const SESSION = [
  OWN_SESSION,
  'SET autocommit = 1, default_storage_engine = InnoDB',
  'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
];

/** The URL of a database on the server of `url`, which has no database in it. */
export function databaseUrl(url: string, database: string): string {
  const named = new URL(url);
  named.pathname = `/${database}`;
  return named.href;
}

/** `host:port`. */
export const mysqlAddress = (url: string) => mysqlLocation(url).replace(/\/.*$/, '');

/** A pool for the strategies, with the settings of `SESSION`: idle connections stay open. */
export function mysqlPool(url: string, connections: number): Pool {
  const pool = createPool({
    ...connectionOptions(url),
    connectionLimit: connections,
    maxIdle: connections,
  });
  pool.on('connection', (connection) => {
    // Sent before any statement of the caller that requested the connection.
    for (const setting of SESSION) {
      connection.query(setting, (error) => {
        if (error) connection.destroy();
      });
    }
  });
  return pool.promise();
}
