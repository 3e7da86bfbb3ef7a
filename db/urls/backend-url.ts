import { resolve } from 'node:path';
import { parseZookeeperUrl, type ZookeeperUrl, zookeeperLocation } from './zookeeper-url';

/** The location of records or tables. `path` is absolute; `url` contains the password. */
export type BackendUrl = DatabaseUrl | { kind: 'redis'; url: string } | ZookeeperUrl;

/** The location of tables: possible control databases. */
export type DatabaseUrl = { kind: 'sqlite'; path: string } | { kind: 'mysql'; url: string };

/**
 * Reads `sqlite:<path>`, `mysql://user:password@host:port/database`,
 * `redis://user:password@host:port/number` or `zookeeper://user:password@host:port,…/path`; with
 * TLS `mysqls:`, `rediss:` and `zookeepers:`. A relative path is relative to `folder`. Driver
 * options are not taken from the URL: they could make the driver run code.
 *
 * @returns the URL, or what is wrong with it as the end of a sentence that begins with the
 *   variable's name.
 */
export function parseBackendUrl(text: string, folder: string): BackendUrl | string {
  const scheme = /^([a-z]+):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === 'sqlite') return parseSqlite(text, folder);
  if (/^(mysql|mariadb)s?$/.test(scheme ?? '')) return parseMysql(text);
  if (scheme === 'redis' || scheme === 'rediss') return parseRedis(text);
  if (scheme === 'zookeeper' || scheme === 'zookeepers') return parseZookeeperUrl(text);
  return (
    'must begin with sqlite: or mysql: or redis: or zookeeper:, such as sqlite:./lockyard.db ' +
    'or mysql://user:password@host:3306/lockyard'
  );
}

function parseSqlite(text: string, folder: string): BackendUrl | string {
  const path = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  if (path === '' || path.endsWith('/')) return 'must name a file after sqlite:';
  if (path.startsWith('//')) {
    return 'must name a file on this machine, such as sqlite:/var/lib/lockyard.db';
  }
  if (path === ':memory:' || path.includes('?') || path.includes('\0')) {
    return 'must name a plain file, without options';
  }
  return { kind: 'sqlite', path: resolve(folder, path) };
}

function parseMysql(text: string): BackendUrl | string {
  const url = serverUrl(text.replace(/^[a-z]+?(s?):/i, 'mysql$1:'), MYSQL_EXAMPLE);
  if (typeof url === 'string') return url;
  if (!/^\/[^/]+$/.test(url.pathname)) return 'must name one database after the host';
  return { kind: 'mysql', url: url.href };
}

function parseRedis(text: string): BackendUrl | string {
  const url = serverUrl(text, REDIS_EXAMPLE);
  if (typeof url === 'string') return url;
  if (!/^\/?(\d{1,5})?$/.test(url.pathname)) {
    return 'must name a database by its number after the host, or none';
  }
  return { kind: 'redis', url: url.href };
}

const MYSQL_EXAMPLE = 'mysql://user:password@host:3306/lockyard';
const REDIS_EXAMPLE = 'redis://user:password@host:6379/0';

/** The URL of one server, or what is wrong with it. */
function serverUrl(text: string, example: string): URL | string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return `is not a URL; it must look like ${example}`;
  }
  if (url.search !== '' || url.hash !== '') return 'must not carry options after ? or #';
  if (url.hostname === '') return 'must name a host';
  if (url.port === '0') return 'must not use port 0';
  return url;
}

/** The database that a MySQL URL names, as `host:port/database`, without its user. */
export function mysqlLocation(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname.toLowerCase()}:${port || 3306}${pathname}`;
}

/** The database that a Redis URL names, without its user. */
function redisLocation(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `redis ${hostname.toLowerCase()}:${port || 6379}/${Number(pathname.slice(1))}`;
}

/** The store that a URL names, without its user. */
export function storeLocation(url: BackendUrl): string {
  if (url.kind === 'sqlite') return url.path;
  if (url.kind === 'zookeeper') return zookeeperLocation(url);
  return url.kind === 'mysql' ? mysqlLocation(url.url) : redisLocation(url.url);
}

/** A backend's name for people: its URL without the password. */
export function describeBackendUrl(url: BackendUrl): string {
  if (url.kind === 'sqlite') return `SQLite file ${url.path}`;
  if (url.kind === 'zookeeper') return `ZooKeeper at ${zookeeperLocation(url)}`;
  const { hostname, port, pathname } = new URL(url.url);
  if (url.kind === 'redis') {
    return `Redis at ${hostname}:${port || 6379}, database ${pathname.slice(1) || '0'}`;
  }
  return `MySQL at ${hostname}:${port || 3306}, database ${decodeURIComponent(pathname.slice(1))}`;
}
