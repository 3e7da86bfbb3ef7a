import { resolve } from 'node:path';

/** Where records or tables are kept. `path` is absolute; `url` holds the password and is never shown. */
export type BackendUrl = { kind: 'sqlite'; path: string } | { kind: 'mysql'; url: string };

/**
 * Reads `sqlite:<path>` or `mysql://user:password@host:port/database`. A relative path is relative to `folder`.
 * Driver options are not taken from the URL: they could make the driver run code.
 *
 * @returns the URL, or what is wrong with it as the end of a sentence that begins with the variable's name.
 */
export function parseBackendUrl(text: string, folder: string): BackendUrl | string {
  const scheme = /^([a-z]+):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === 'sqlite') return parseSqlite(text, folder);
  if (scheme === 'mysql' || scheme === 'mariadb') return parseMysql(text);
  return 'must begin with sqlite: or mysql:, such as sqlite:./lockyard.db or mysql://user:password@host:3306/lockyard';
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
  let url: URL;
  try {
    url = new URL(text.replace(/^[a-z]+:/i, 'mysql:'));
  } catch {
    return 'is not a URL; it must look like mysql://user:password@host:3306/lockyard';
  }
  if (url.search !== '' || url.hash !== '') return 'must not carry options after ? or #';
  if (url.hostname === '') return 'must name a host';
  if (!/^\/[^/]+$/.test(url.pathname)) return 'must name one database after the host';
  if (url.port === '0') return 'must not use port 0';
  return { kind: 'mysql', url: url.href };
}

/** Which database a MySQL URL names, whoever signs in: `host:port/database`. */
export function mysqlPlace(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname.toLowerCase()}:${port || 3306}${pathname}`;
}

/** How a backend may be named to people: without its password. */
export function describeBackendUrl(url: BackendUrl): string {
  if (url.kind === 'sqlite') return `SQLite file ${url.path}`;
  const { hostname, port, pathname } = new URL(url.url);
  return `MySQL at ${hostname}:${port || 3306}, database ${decodeURIComponent(pathname.slice(1))}`;
}
