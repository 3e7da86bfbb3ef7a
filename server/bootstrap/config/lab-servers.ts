import { type BackendUrl, parseBackendUrl } from '@/db/urls/backend-url';
import type { LabServers } from '../../lab/lab-order';
import { ConfigError } from '../../platform/start-error';

type Env = Record<string, string | undefined>;

const MYSQL = 'LOCKYARD_LAB_MYSQL_URL';
const REDIS = 'LOCKYARD_LAB_REDIS_URL';
const ZOOKEEPER = 'LOCKYARD_LAB_ZOOKEEPER_URL';
const MYSQL_EXAMPLE = 'mysql://user:password@host:3306';
const ON_BACKENDS = 'LOCKYARD_LAB_ON_BACKENDS';

/** The variables that may hold a password. */
export const LAB_SECRETS = [MYSQL, REDIS, ZOOKEEPER];
export const LAB_NAMES = [...LAB_SECRETS, ON_BACKENDS];

/** A quorum needs three nodes; more than five show nothing new. */
const REDIS_MAX = 5;

/** The servers on which the Lab may race, apart from the backends of this Lockyard. */
export interface LabConfig {
  servers: LabServers;
  /** Whether a race may run on a backend of this Lockyard. */
  onBackends: boolean;
}

/** Throws `ConfigError`. */
export function readLab(env: Env): LabConfig {
  const mysql = readMysql(env[MYSQL]);
  const redis = readRedis(env[REDIS]);
  const zookeeper = readZookeeper(env[ZOOKEEPER]);
  return {
    servers: {
      ...(mysql && { mysql }),
      ...(redis && { redis }),
      ...(zookeeper && { zookeeper }),
    },
    onBackends: readOnBackends(env[ON_BACKENDS]),
  };
}

/** A race creates its own databases: a database in the URL is ignored. */
function readMysql(text: string | undefined): string | null {
  if (!text) return null;
  if (!/^(mysql|mariadb)s?:/i.test(text)) throw wrongKind(MYSQL, 'mysql:', MYSQL_EXAMPLE);
  const withoutPath = /^[a-z]+:\/\/[^/?#]+\/?$/i.test(text);
  const url = parse(MYSQL, withoutPath ? `${text.replace(/\/$/, '')}/lab` : text);
  if (url.kind !== 'mysql') throw wrongKind(MYSQL, 'mysql:', MYSQL_EXAMPLE);
  const server = new URL(url.url);
  server.pathname = '';
  return server.href;
}

function readRedis(text: string | undefined): string[] | null {
  if (!text) return null;
  // Does not split at a comma within a password.
  const urls = text.split(/,(?=\s*[a-z]+:\/\/)/i);
  if (urls.length > REDIS_MAX) {
    throw new ConfigError(`${REDIS} must name at most ${REDIS_MAX} servers, separated by commas.`);
  }
  return urls.map((part) => {
    const url = parse(REDIS, part.trim());
    if (url.kind !== 'redis') throw wrongKind(REDIS, 'redis:', 'redis://host:6379');
    return url.url;
  });
}

function readZookeeper(text: string | undefined): string | null {
  if (!text) return null;
  const url = parse(ZOOKEEPER, text);
  if (url.kind !== 'zookeeper' || url.tls) {
    throw wrongKind(ZOOKEEPER, 'zookeeper:', 'zookeeper://host:2181');
  }
  return text;
}

function parse(name: string, text: string): BackendUrl {
  const url = parseBackendUrl(text, process.cwd());
  if (typeof url === 'string') throw new ConfigError(`${name} ${url}.`);
  return url;
}

const wrongKind = (name: string, scheme: string, example: string) =>
  new ConfigError(`${name} must begin with ${scheme}, such as ${example}.`);

function readOnBackends(value: string | undefined): boolean {
  if (value === undefined || value === '') return false;
  if (value === 'yes') return true;
  throw new ConfigError(`${ON_BACKENDS} must be yes or unset, not "${value}".`);
}
