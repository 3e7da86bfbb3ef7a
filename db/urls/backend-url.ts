import { resolve } from 'node:path';
import { parseZookeeperUrl, type ZookeeperUrl, zookeeperLocation } from './zookeeper-url';

/** The location of records or tables. `path` is absolute; `url` contains the password. */
export type BackendUrl = DatabaseUrl | { kind: 'redis'; url: string } | ZookeeperUrl;

/** The location of tables: possible control databases. */
export type DatabaseUrl = { kind: 'sqlite'; path: string } | { kind: 'mysql'; url: string };

/**
 * Parses `sqlite:<path>`, `mysql://user:password@host:port/database`,
 * `redis://user:password@host:port/number` or `zookeeper://user:password@host:port,…/path`; with
 * TLS `mysqls:`, `rediss:` and `zookeepers:`. A relative path is relative to `folder`. Driver
 * options are not taken from the URL: they could make the driver run code.
 *
 * @returns the URL, or what is wrong with it as the end of a sentence that begins with the
 *   variable's name.
 */
export function parseBackendUrl(text: string, folder: string): BackendUrl | string {
  const parse = PARSERS.get(schemeOf(text));
  if (parse) return parse(text, folder);
  return `${mustBeginWith(BACKEND_SCHEMES)}, such as ${SQLITE_EXAMPLE} or ${MYSQL_EXAMPLE}`;
}

/** As `parseBackendUrl`, for a control database, which needs tables: `sqlite:`, `mysql(s):`. */
export function parseDatabaseUrl(text: string, folder: string): DatabaseUrl | string {
  const url = parseBackendUrl(text, folder);
  const isOther = !DATABASE_SCHEMES.includes(schemeOf(text));
  if (typeof url === 'string' && !isOther) return url;
  if (typeof url !== 'string' && (url.kind === 'sqlite' || url.kind === 'mysql')) return url;
  const which = `${mustBeginWith(DATABASE_SCHEMES)}, because the control database keeps tables`;
  return `${which}, such as ${SQLITE_EXAMPLE} or ${MYSQL_EXAMPLE}`;
}

/** `mariadb` is another name of `mysql`. */
const schemeOf = (text: string) =>
  (/^([a-z]+):/i.exec(text)?.[1] ?? '').toLowerCase().replace(/^mariadb(?=s?$)/, 'mysql');

/** The end of a sentence that begins with a variable's name. */
export function mustBeginWith(schemes: readonly string[]): string {
  const all = schemes.map((scheme) => `${scheme}:`);
  return `must begin with ${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
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
  // Left over from a list of one; MySQL would take it as part of the name.
  if (url.pathname.includes(',')) {
    return 'has a comma in the name of its database; if it belongs there, write it as %2C';
  }
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

/** Characters that would end the part of a URL that contains the password. */
const ENCODED = 'percent-encoded: %2F for /, %3F for ?, %23 for #, %25 for %';

const SQLITE_EXAMPLE = 'sqlite:./lockyard.db';
const MYSQL_EXAMPLE = 'mysql://user:password@host:3306/lockyard';
const REDIS_EXAMPLE = 'redis://user:password@host:6379/0';

/** The parsers by scheme. */
const PARSERS = new Map<string, (text: string, folder: string) => BackendUrl | string>([
  ['sqlite', parseSqlite],
  ['mysql', parseMysql],
  ['mysqls', parseMysql],
  ['redis', parseRedis],
  ['rediss', parseRedis],
  ['zookeeper', parseZookeeperUrl],
  ['zookeepers', parseZookeeperUrl],
]);

/** The schemes of all backends; one that ends with an added `s` requires TLS. */
export const BACKEND_SCHEMES: readonly string[] = [...PARSERS.keys()];
const DATABASE_SCHEMES = BACKEND_SCHEMES.slice(0, 3);

/** The URL of one server, or what is wrong with it. */
function serverUrl(text: string, example: string): URL | string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return `is not a URL; it must look like ${example}, where its password is ${ENCODED}`;
  }
  if (url.search !== '' || url.hash !== '') return 'must not carry options after ? or #';
  if (url.hostname === '') return 'must name a host';
  if (url.port === '0') return 'must not use port 0';
  const isEncoded = [url.username, url.password, url.pathname].every(isPercentEncoded);
  return isEncoded ? url : 'has a % that begins no percent-encoding; write it as %25';
}

/** For a part that is not, the drivers fail with an error that names no variable. */
function isPercentEncoded(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
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
