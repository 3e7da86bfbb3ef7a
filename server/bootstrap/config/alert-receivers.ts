import { RECEIVER_FORMATS, type ReceiverFormat } from '../../contract/console/alerts/alert-row';
import { refuseBlockedPort } from '../../platform/blocked-port';
import { ConfigError } from '../../platform/start-error';
import { authorizationOf } from './secrets';
import { variablesWithId } from './variables-with-id';

/** Where alerts are sent. */
export interface ConfiguredReceiver {
  id: string;
  format: ReceiverFormat;
  /** An http(s) URL without user and password. */
  url: string;
  /** The `Authorization` header to send; null: none. */
  authorization: string | null;
  /** The key that signs messages; null except for the format `webhook`. */
  key: Buffer | null;
}

const WEBHOOK_PREFIX = 'LOCKYARD_WEBHOOK_';
const SIGNING_KEY_PREFIX = 'LOCKYARD_SIGNING_KEY_';

/** The prefixes of the variables that configure alerts. */
export const ALERT_PREFIXES = [WEBHOOK_PREFIX, SIGNING_KEY_PREFIX];

const KEY_MIN_BYTES = 24;
const KEY_MAX_BYTES = 64;

type Env = Record<string, string | undefined>;

/**
 * Where alerts are sent, and the origin of the links in them; null: the address that the console
 * listens on.
 *
 * @throws ConfigError
 */
export const readAlerting = (env: Env) => ({
  receivers: readReceivers(env),
  publicUrl: readPublicUrl(env),
});

function readReceivers(env: Env): ConfiguredReceiver[] {
  const receivers: ConfiguredReceiver[] = [];
  for (const { name, id } of variablesWithId(env, WEBHOOK_PREFIX, 'webhook')) {
    const target = readTarget(name, env[name] ?? '');
    receivers.push({ id, ...target, key: readKey(env, id, target.format) });
  }
  refuseUnusedKeys(env, receivers);
  return receivers;
}

function readPublicUrl(env: Env): string | null {
  const text = env.LOCKYARD_PUBLIC_URL;
  if (text === undefined || text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  if (!url || !isPlain || url.search || url.hash || url.pathname !== '/') {
    throw new ConfigError(
      'LOCKYARD_PUBLIC_URL must be the address of the console, such as https://locks.internal, ' +
        'without a path.',
    );
  }
  return url.origin;
}

function readTarget(name: string, text: string): Omit<ConfiguredReceiver, 'id' | 'key'> {
  const [, prefix = 'webhook', rest = ''] = /^(?:([a-z]+)\+)?(.*)$/s.exec(text) ?? [];
  const format = RECEIVER_FORMATS.find((each) => each === prefix);
  const url = URL.canParse(rest) ? new URL(rest) : null;
  if (!format || !url || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(
      `${name} must be a URL that begins with https: or http:; put slack+ or alertmanager+ in ` +
        'front of it for those.',
    );
  }
  refuseBlockedPort(name, url);
  const authorization = authorizationOf(name, url);
  url.username = '';
  url.password = '';
  url.hash = '';
  if (format === 'alertmanager') url.pathname = `${url.pathname.replace(/\/$/, '')}/api/v2/alerts`;
  return { format, url: url.href, authorization };
}

function readKey(env: Env, id: string, format: ReceiverFormat): Buffer | null {
  const name = keyName(env, id);
  const text = name === null ? '' : (env[name] ?? '');
  const shown = name ?? `${SIGNING_KEY_PREFIX}${id.toUpperCase()}`;
  if (format !== 'webhook') {
    if (text === '') return null;
    throw new ConfigError(`${shown} is set, but messages in the format ${format} are not signed.`);
  }
  const encoded = text.replace(/^whsec_/, '');
  const key = Buffer.from(encoded, 'base64');
  const isEncoded = key.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  if (isEncoded && key.length >= KEY_MIN_BYTES && key.length <= KEY_MAX_BYTES) return key;
  throw new ConfigError(
    `${shown} must be ${KEY_MIN_BYTES} to ${KEY_MAX_BYTES} random bytes in base64, with which ` +
      `messages to the webhook "${id}" are signed; make one with: openssl rand -base64 32`,
  );
}

const keyName = (env: Env, id: string): string | null =>
  Object.keys(env).find(
    (name) =>
      name.startsWith(SIGNING_KEY_PREFIX) &&
      name.slice(SIGNING_KEY_PREFIX.length).toLowerCase() === id,
  ) ?? null;

function refuseUnusedKeys(env: Env, receivers: readonly ConfiguredReceiver[]): void {
  const named = new Set<string>();
  for (const name of Object.keys(env)) {
    if (!name.startsWith(SIGNING_KEY_PREFIX) || !env[name]) continue;
    const id = name.slice(SIGNING_KEY_PREFIX.length).toLowerCase();
    if (named.has(id)) {
      throw new ConfigError(`${name}: the signing key of the webhook "${id}" is named twice.`);
    }
    named.add(id);
    if (receivers.some((receiver) => receiver.id === id)) continue;
    throw new ConfigError(
      `${name} belongs to no webhook: ${WEBHOOK_PREFIX}${id.toUpperCase()} is not set.`,
    );
  }
}
