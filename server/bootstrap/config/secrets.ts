import { ConfigError } from '../../platform/start-error';

export const SECRET_MIN_CHARS = 32;
const SECRET_MIN_DISTINCT = 10;
const METRICS_TOKEN_MIN_CHARS = 16;

type Env = Record<string, string | undefined>;

/** Null: not set. Throws `ConfigError` for a secret that is too easy to guess. */
export function readSecret(env: Env): string | null {
  const secret = env.LOCKYARD_SECRET;
  if (secret === undefined || secret === '') return null;
  if (secret.length < SECRET_MIN_CHARS) {
    throw new ConfigError(
      `LOCKYARD_SECRET must have at least ${SECRET_MIN_CHARS} characters; it has ${secret.length}.`,
    );
  }
  if (new Set(secret).size < SECRET_MIN_DISTINCT) {
    throw new ConfigError(
      'LOCKYARD_SECRET is too easy to guess; make one with: openssl rand -base64 32',
    );
  }
  return secret;
}

/** Null: not set. Throws `ConfigError`. */
export function readMetricsToken(env: Env): string | null {
  const token = env.LOCKYARD_METRICS_TOKEN;
  if (token === undefined || token === '') return null;
  if (token.length >= METRICS_TOKEN_MIN_CHARS && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new ConfigError(
    `LOCKYARD_METRICS_TOKEN must have at least ${METRICS_TOKEN_MIN_CHARS} characters: ` +
      'letters, digits and punctuation, without spaces.',
  );
}

/**
 * The `Authorization` header for the user and password in a URL; null: it has neither.
 *
 * @throws ConfigError
 */
export function authorizationOf(name: string, { username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  try {
    const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(plain).toString('base64')}`;
  } catch {
    throw new ConfigError(`${name}: its user or password is not properly percent-encoded.`);
  }
}
