/** The location of records in ZooKeeper. `credentials` contain the password and are never shown. */
export interface ZookeeperUrl {
  kind: 'zookeeper';
  servers: { host: string; port: number }[];
  /** `user:password` of the scheme "digest"; null for no authentication. */
  credentials: string | null;
  /** Absent: unencrypted. `authorityFile` is PEM; null: Node's default authorities. */
  tls?: { authorityFile: string | null };
  /** The znode that contains all of Lockyard's, without a slash at its end. */
  root: string;
}

const EXAMPLE = 'zookeeper://user:password@host1:2181,host2:2181/lockyard';
const DEFAULT_PORT = 2181;

/** `URL` cannot parse a URL with several servers, so it is parsed by hand. */
const SHAPE = /^zookeeper(s?):\/\/(?:([^@/]*)@)?([^@/?#]+)(\/[^?#]*)?$/i;

/** @returns the location, or what is wrong, as the end of a sentence about the variable */
export function parseZookeeperUrl(text: string): ZookeeperUrl | string {
  if (/[?#]/.test(text)) return 'must not carry options after ? or #';
  const parts = SHAPE.exec(text);
  if (!parts) return `is not a URL; it must look like ${EXAMPLE}`;
  const [, secure, user, hosts = '', path = '/lockyard'] = parts;
  const servers = hosts.split(',').map(parseServer);
  const isWhole = servers.every((server) => server !== null);
  if (!isWhole) return `must name its servers as in ${EXAMPLE}`;
  const root = path.replace(/\/+$/, '') || '/lockyard';
  if (!isPlainPath(root)) return 'must name a plain path after the servers';
  const credentials = user ? parseCredentials(user) : null;
  if (credentials === undefined) return `must carry both a user and a password, as in ${EXAMPLE}`;
  const tls = secure ? { tls: { authorityFile: null } } : {};
  return { kind: 'zookeeper', servers, credentials, root, ...tls };
}

/** The servers in order and the path, without the password. */
export function zookeeperLocation({ servers, root }: ZookeeperUrl): string {
  const names = servers.map(({ host, port }) => `${host}:${port}`);
  return `${names.sort().join(',')}${root}`;
}

function parseServer(text: string): { host: string; port: number } | null {
  const [, bracketed, plain, digits] =
    /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = digits === undefined ? DEFAULT_PORT : Number(digits);
  return host && port > 0 && port < 65_536 ? { host, port } : null;
}

/** Whether ZooKeeper accepts the path: no reserved segment, and none that means another path. */
function isPlainPath(path: string): boolean {
  const names = path.split('/').slice(1);
  return (
    path.length <= 200 &&
    names[0] !== 'zookeeper' &&
    names.every((name) => /^[A-Za-z0-9._~-]+$/.test(name) && !/^\.+$/.test(name))
  );
}

/** Undefined for malformed credentials. */
function parseCredentials(text: string): string | undefined {
  try {
    const [user, password, ...more] = text.split(':').map(decodeURIComponent);
    return user && password && more.length === 0 && !user.includes(':')
      ? `${user}:${password}`
      : undefined;
  } catch {
    return undefined;
  }
}
