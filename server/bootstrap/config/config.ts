import { resolve } from 'node:path';
import {
  BACKEND_SCHEMES,
  type BackendUrl,
  type DatabaseUrl,
  mustBeginWith,
  parseBackendUrl,
  parseDatabaseUrl,
} from '@/db/urls/backend-url';
import {
  isShardList,
  parseShardList,
  SHARD_SUFFIX_CHARS,
  type ShardList,
} from '@/db/urls/shard-list';
import type { Retention } from '../../core/retention';
import { nearestName } from '../../platform/nearest-name';
import { NetworkList } from '../../platform/network-list';
import { ConfigError } from '../../platform/start-error';
import { ALERT_PREFIXES, type ConfiguredReceiver, readAlerting } from './alert-receivers';
import { type ConfiguredGate, GATE_PREFIX, readGates } from './gates';
import { LAB_NAMES, type LabConfig, readLab } from './lab-servers';
import { LIMIT_NAMES, type Limits, readLimits } from './limits';
import { isForPages, LOG_NAMES, refuseUnknownLogSettings } from './log-settings';
import { RETENTION_NAMES, readRetention } from './retention-days';
import { SECRET_FILES, withSecretFiles } from './secret-files';
import { readMetricsToken, readSecret } from './secrets';
import { BACKEND_PREFIX, separateStores } from './separate-stores';
import { AUTHORITY_PREFIX, withAuthorities } from './tls-authorities';
import { readTraceUrl } from './trace-url';
import { variablesWithId } from './variables-with-id';
import { type ConfiguredWitness, readWitnesses, WITNESS_PREFIX } from './witness-urls';

export interface Config {
  port: number;
  /** What to listen on: a host name or an address. */
  host: string;
  /** Absolute. */
  dataDir: string;
  /** The control database; also the backend `default`. */
  database: DatabaseUrl;
  /** Backends besides `default`, by id. */
  backends: ConfiguredBackend[];
  /** Redis servers that may be put in front of counters on MySQL, by id. */
  gates: ConfiguredGate[];
  /** URLs that answer whether a pod or CI run that holds a lock is alive. */
  witnesses: ConfiguredWitness[];
  /** Where alerts are sent, by id. */
  receivers: ConfiguredReceiver[];
  /** The origin of links to the console; null: the address that it listens on. */
  publicUrl: string | null;
  /** See `readTraceUrl`. */
  traceUrl: string | null;
  /** Ids of backends that may grant locks although they are configured unsafely. */
  allowUnsafe: string[];
  /** Null: generated once and kept in the data folder. */
  secret: string | null;
  /** A caller with this token may read the metrics from anywhere; null: only this machine may. */
  metricsToken: string | null;
  /** Proxies that are trusted to report the caller's address and encryption. */
  trustedProxies: NetworkList;
  limits: Limits;
  retention: Retention;
  lab: LabConfig;
  /** Whether to run a demo fleet, with a link that signs in. */
  demo: boolean;
}

/** A backend besides `default`: one store, or several MySQL databases that share its names. */
export type ConfiguredBackend =
  | { id: string; url: BackendUrl; shards?: never }
  | { id: string; shards: ShardList };

type Env = Record<string, string | undefined>;

const DEFAULT_PORT = 3000;
const DEFAULT_HOST = '127.0.0.1';
const LOOPBACK = '127.0.0.0/8,::1';
const BACKEND_ID_MAX = 32;
/** Prefixes of variables whose values are secrets, or contain one. */
const SECRET_PREFIXES = [BACKEND_PREFIX, GATE_PREFIX, WITNESS_PREFIX, ...ALERT_PREFIXES];
const PREFIXES = [...SECRET_PREFIXES, AUTHORITY_PREFIX];

/**
 * Every variable but those with an id in their names. Those from `LOCKYARD_URL` on are the
 * client's, which may have the same environment.
 */
export const VARIABLES = [
  'LOCKYARD_DATABASE_URL',
  'LOCKYARD_DATA_DIR',
  'LOCKYARD_ALLOW_UNSAFE',
  'LOCKYARD_SECRET',
  'LOCKYARD_METRICS_TOKEN',
  'LOCKYARD_TRUSTED_PROXIES',
  'LOCKYARD_PUBLIC_URL',
  'LOCKYARD_TRACE_URL',
  ...LOG_NAMES,
  ...LIMIT_NAMES,
  ...RETENTION_NAMES,
  ...LAB_NAMES,
  'LOCKYARD_DEMO',
  'LOCKYARD_URL',
  'LOCKYARD_API_KEY',
  'LOCKYARD_NAMESPACE',
  'LOCKYARD_LOCK',
  'LOCKYARD_OWNER',
  'LOCKYARD_TOKEN',
  ...SECRET_FILES,
];

/** Suggestions for names whose most similar name would mislead. */
const SUGGESTIONS: Record<string, string> = {
  LOCKYARD_PORT: 'PORT',
  LOCKYARD_HOST: 'HOST',
  ...Object.fromEntries(PREFIXES.map((prefix) => [prefix.slice(0, -1), `${prefix}<ID>`])),
};

/** Reads the whole configuration at start: `env` and the files it names. Throws `ConfigError`. */
export function readConfig(environment: Env): Config {
  refuseUnknown(environment);
  refuseUnknownLogSettings(environment);
  const env = withSecretFiles(environment, SECRET_PREFIXES);
  const demo = readDemo(env);
  const folder = env.LOCKYARD_DATA_DIR || (demo ? '.lockyard-demo' : '.lockyard');
  if (folder.includes('\0') || folder.trim() === '') {
    throw new ConfigError('LOCKYARD_DATA_DIR must name a folder.');
  }
  const dataDir = resolve(folder);
  const named = { database: readDatabase(env, dataDir), backends: readBackends(env) };
  const stores = separateStores(named.database, named.backends);
  const { database, backends } = withAuthorities(env, named);
  return {
    port: readPort(env),
    host: readHost(env),
    dataDir,
    database,
    backends,
    gates: readGates(env, stores),
    witnesses: readWitnesses(env),
    ...readAlerting(env),
    traceUrl: readTraceUrl(env),
    allowUnsafe: readAllowUnsafe(env, ['default', ...backends.map(({ id }) => id)]),
    secret: readSecret(env),
    metricsToken: readMetricsToken(env),
    trustedProxies: readTrustedProxies(env),
    limits: readLimits(env),
    retention: readRetention(env),
    lab: readLab(env),
    demo,
  };
}

/** The environment of the page process: of Lockyard's variables, only those of the log. */
export function pageProcessEnv(env: Env): NodeJS.ProcessEnv {
  const foreign = Object.entries(env).filter(([name]) => isForPages(name));
  return { ...Object.fromEntries(foreign), NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' };
}

function refuseUnknown(env: Env): void {
  for (const name of Object.keys(env)) {
    if (!name.startsWith('LOCKYARD_') || VARIABLES.includes(name)) continue;
    if (PREFIXES.some((prefix) => name.startsWith(prefix) && name !== prefix)) continue;
    const suggestion =
      SUGGESTIONS[name.replace(/_$/, '')] ??
      nearestName(name, [...VARIABLES, ...PREFIXES.map((prefix) => `${prefix}<ID>`)]);
    throw new ConfigError(`Unknown variable ${name}. Did you mean ${suggestion}?`);
  }
}

function readPort(env: Env): number {
  const text = env.PORT;
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new ConfigError(`PORT must be a whole number from 0 to 65535, not "${text}".`);
  }
  return port;
}

function readHost(env: Env): string {
  const host = env.HOST || DEFAULT_HOST;
  if (!/^[A-Za-z0-9.:_-]{1,255}$/.test(host)) {
    throw new ConfigError(`HOST must be a host name or an address, not "${host}".`);
  }
  return host;
}

function readTrustedProxies(env: Env): NetworkList {
  const name = 'LOCKYARD_TRUSTED_PROXIES';
  const list = NetworkList.parse(env[name] || LOOPBACK);
  if (typeof list === 'string') throw new ConfigError(`${name} ${list}.`);
  if (list.texts.length > 0) return list;
  throw new ConfigError(`${name} must name an address or a network; unset, it is ${LOOPBACK}.`);
}

function readDemo(env: Env): boolean {
  const value = env.LOCKYARD_DEMO;
  if (value === undefined || value === '' || value === '0') return false;
  if (value !== '1') throw new ConfigError(`LOCKYARD_DEMO must be 1 or unset, not "${value}".`);
  if (env.LOCKYARD_DATABASE_URL) {
    throw new ConfigError(
      'LOCKYARD_DATABASE_URL must not be set for the demo: the demo uses its own data folder.',
    );
  }
  return true;
}

function readBackends(env: Env): Config['backends'] {
  const backends: Config['backends'] = [];
  for (const { name, id } of variablesWithId(env, BACKEND_PREFIX, 'backend')) {
    if (id === 'default') {
      throw new ConfigError(
        `${name} must not be set: the backend "default" is the control database, ` +
          'LOCKYARD_DATABASE_URL.',
      );
    }
    const shards = readShards(env, name, id);
    if (shards) {
      backends.push({ id, shards });
      continue;
    }
    const url = readUrl(env, name, parseBackendUrl);
    if (!url) throw new ConfigError(`${name} is empty; it ${mustBeginWith(BACKEND_SCHEMES)}.`);
    backends.push({ id, url });
  }
  return backends;
}

/** @param ids the ids of all backends: a misspelt id is reported */
function readAllowUnsafe(env: Env, ids: string[]): string[] {
  const named = (env.LOCKYARD_ALLOW_UNSAFE ?? '').split(',').map((id) => id.trim());
  const allowed = named.filter((id) => id !== '');
  for (const id of allowed) {
    if (ids.includes(id)) continue;
    throw new ConfigError(
      `LOCKYARD_ALLOW_UNSAFE names "${id}", which is not a configured backend. Did you mean ` +
        `${nearestName(id, ids)}?`,
    );
  }
  return allowed;
}

/** Null: the variable names one store. */
function readShards(env: Env, name: string, id: string): ShardList | null {
  const text = env[name];
  if (!text || !isShardList(text)) return null;
  const idMax = BACKEND_ID_MAX - SHARD_SUFFIX_CHARS;
  if (id.length > idMax) {
    throw new ConfigError(
      `${name}: the id of a backend with shards must be at most ${idMax} long.`,
    );
  }
  const list = parseShardList(id, text);
  if (typeof list === 'string') throw new ConfigError(`${name} ${list}.`);
  return list;
}

function readDatabase(env: Env, dataDir: string): DatabaseUrl {
  const url = readUrl(env, 'LOCKYARD_DATABASE_URL', parseDatabaseUrl);
  return url ?? { kind: 'sqlite', path: ownDatabasePath(dataDir) };
}

/** The path of the database, unless a variable sets another. */
export const ownDatabasePath = (dataDir: string) => resolve(dataDir, 'lockyard.db');

function readUrl<U extends object>(
  env: Env,
  name: string,
  parse: (text: string, folder: string) => U | string,
): U | null {
  const text = env[name];
  if (text === undefined || text === '') return null;
  const url = parse(text, process.cwd());
  if (typeof url === 'string') throw new ConfigError(`${name} ${url}.`);
  return url;
}
