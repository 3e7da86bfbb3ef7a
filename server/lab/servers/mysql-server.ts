import { type Connection, createConnection } from 'mysql2/promise';
import { mysqlTls } from '@/db/mysql/mysql-tls';
import { mysqlLocation } from '@/db/urls/backend-url';

const CONNECT_TIMEOUT_MS = 3_000;

/** `host:port`. */
export const mysqlAddress = (url: string) => mysqlLocation(url).replace(/\/.*$/, '');

export function connectMysql(url: string): Promise<Connection> {
  return createConnection({ uri: url, ...mysqlTls(url), connectTimeout: CONNECT_TIMEOUT_MS });
}
