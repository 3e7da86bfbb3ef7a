import { type Connection, createConnection, createPool, type Pool } from 'mysql2/promise';
import { mysqlTls } from '@/db/mysql/mysql-tls';
import { mysqlLocation } from '@/db/urls/backend-url';

const CONNECT_TIMEOUT_MS = 3_000;

/** The URL of a database on the server of `url`, which names none. */
export function databaseUrl(url: string, database: string): string {
  const named = new URL(url);
  named.pathname = `/${database}`;
  return named.href;
}

/** `host:port`. */
export const mysqlAddress = (url: string) => mysqlLocation(url).replace(/\/.*$/, '');

export function connectMysql(url: string): Promise<Connection> {
  return createConnection({ uri: url, ...mysqlTls(url), connectTimeout: CONNECT_TIMEOUT_MS });
}

/** A pool for the strategies: UTC, and idle connections stay open. */
export function mysqlPool(url: string, connections: number): Pool {
  return createPool({
    uri: url,
    ...mysqlTls(url),
    connectTimeout: CONNECT_TIMEOUT_MS,
    connectionLimit: connections,
    maxIdle: connections,
    timezone: 'Z',
  });
}
