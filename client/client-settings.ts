import { environmentKey } from './environment-key';
import { LockyardError } from './errors';
import type { LockObserver } from './observing/lock-observer';
import { type OptionNames, refuseUnknownOptions } from './options/refuse-unknown-options';
import manifest from './package.json' with { type: 'json' };
import { type Chance, systemChance } from './platform/chance';
import { type ClientClock, systemClock } from './platform/client-clock';
import { processMeta } from './platform/process-meta';
import { canConnect } from './wire/connection-probe';
import { ServerAddresses } from './wire/server-addresses';
import { SilenceWatch } from './wire/silence-watch';

/**
 * All options are optional; only address and key must be set, here or in the environment. An empty
 * one of these two counts as not set.
 */
export interface LockyardClientOptions {
  /**
   * The address of Lockyard, such as `https://locks.example.com`; or several, of servers on one
   * database, separated by commas: the first is used until it fails, then the next. Default:
   * `LOCKYARD_URL`.
   */
  url?: string | undefined;
  /**
   * Default: `LOCKYARD_API_KEY`, or the content of the file `LOCKYARD_API_KEY_FILE`, which is read
   * again when its key is refused. Sent as a bearer token, never logged, never part of an error.
   */
  apiKey?: string | undefined;
  /** The namespace of calls that do not name one. Default: `default`. */
  namespace?: string | undefined;
  /**
   * The owner id of this client's holds, at most 100 bytes. Default: host, process id, random text.
   */
  owner?: string | undefined;
  /**
   * The version of this program, shown to operators with its holds. Default: that of this package.
   */
  version?: string | undefined;
  /** Receives events of locks and requests, for metrics. */
  observer?: LockObserver | undefined;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** The clock of leases, waits and retries. Default: this process's monotonic clock. */
  clock?: ClientClock | undefined;
  /** The source of random ids and delays. Default: this process's. */
  chance?: Chance | undefined;
}

/** The options with every gap filled. */
export interface ClientSettings {
  addresses: ServerAddresses;
  /** The key in use. */
  apiKey: string;
  /** Whether the key may be replaced by the present one of the environment. */
  isKeyOfEnvironment: boolean;
  namespace: string;
  owner: string;
  /** Sent with every hold: `host`, `pid`, `version`, and what else identifies this process. */
  meta: Record<string, string>;
  observer: LockObserver | undefined;
  fetch: typeof fetch;
  /** Null if a connection proves nothing: requests go through a proxy, or the caller's `fetch`. */
  canConnect: typeof canConnect | null;
  /** Null for a single address: there is no other to switch to. */
  silence: SilenceWatch | null;
  clock: ClientClock;
  chance: Chance;
}

const OPTIONS: OptionNames<LockyardClientOptions> = {
  url: true,
  apiKey: true,
  namespace: true,
  owner: true,
  version: true,
  observer: true,
  fetch: true,
  clock: true,
  chance: true,
};

/**
 * Throws `INVALID` when address or key is missing or unreadable, a URL is not http(s), or an option
 * is unknown.
 */
export function clientSettings(options: LockyardClientOptions): ClientSettings {
  refuseUnknownOptions('LockyardClient', options, OPTIONS);
  const chance = options.chance ?? systemChance;
  const identity = processMeta(process.env);
  const { host, pid } = identity;
  const version = options.version ?? `lockyard-client ${manifest.version}`;
  const url = needed(options.url || process.env.LOCKYARD_URL, 'url', 'LOCKYARD_URL');
  const addresses = ServerAddresses.read(url);
  const fetch = options.fetch ?? globalThis.fetch;
  const clock = options.clock ?? systemClock;
  return {
    addresses,
    apiKey: usableKey(options.apiKey || environmentKey()),
    isKeyOfEnvironment: !options.apiKey,
    namespace: options.namespace ?? 'default',
    owner: options.owner ?? `${host}:${pid}:${chance.id().slice(0, 6)}`,
    meta: { ...identity, version },
    observer: options.observer,
    fetch,
    canConnect: options.fetch || process.env.NODE_USE_ENV_PROXY ? null : canConnect,
    silence: addresses.count > 1 ? new SilenceWatch(fetch, clock) : null,
    clock,
    chance,
  };
}

/** Refuses a text that cannot be a key here: `fetch` would quote it in its error. */
function usableKey(given: string | undefined): string {
  const key = needed(given, 'apiKey', 'LOCKYARD_API_KEY').trim();
  if (canBeKey(key)) return key;
  throw new LockyardError('INVALID', 'The API key has characters that no key has.');
}

/**
 * Reads the file of the environment again, in case the refused key was rotated. A file that cannot
 * be read changes nothing.
 *
 * @returns whether another key than the refused one is in use now
 */
export function replaceKey(settings: ClientSettings, refused: string): boolean {
  if (settings.isKeyOfEnvironment && settings.apiKey === refused) {
    try {
      settings.apiKey = usableKey(environmentKey());
    } catch (error) {
      if (!(error instanceof LockyardError)) throw error;
    }
  }
  return settings.apiKey !== refused;
}

/** Whether a text may be a key, as far as that can be checked without a server. */
export const canBeKey = (text: string): boolean => /^[!-~]+$/.test(text);

function needed(value: string | undefined, option: string, variable: string): string {
  if (value) return value;
  throw new LockyardError('INVALID', `Missing option \`${option}\`: pass it, or set ${variable}.`);
}
