import { errorCode } from '../../platform/files/error-code';
import { readRegularFile } from '../../platform/files/read-regular-file';
import { ConfigError } from '../../platform/start-error';
import { LAB_SECRETS } from './lab-servers';

type Env = Record<string, string | undefined>;

const SUFFIX = /_FILE$/i;

/** Those without an id in their names. The client itself reads the file of its API key. */
const SECRETS = [
  'LOCKYARD_DATABASE_URL',
  'LOCKYARD_SECRET',
  'LOCKYARD_METRICS_TOKEN',
  ...LAB_SECRETS,
];

/** The variables that name a file with a secret in it, except those with an id in their names. */
export const SECRET_FILES = [...SECRETS, 'LOCKYARD_API_KEY'].map((name) => `${name}_FILE`);

/**
 * The environment with every secret that is kept in a file: `X_FILE` names the file of `X`, as
 * containers pass secrets. Line breaks at the end of the file are not part of the secret.
 *
 * @param prefixes the prefixes of variables with an id in their names, whose values are secrets
 * @throws ConfigError if both are set, or the file is empty or cannot be read
 */
export function withSecretFiles(env: Env, prefixes: string[]): Env {
  const whole = { ...env };
  for (const [name, file] of Object.entries(env)) {
    const secret = name.replace(SUFFIX, '');
    const hasId = prefixes.some((prefix) => secret.startsWith(prefix) && secret !== prefix);
    if (secret === name || !(hasId || SECRETS.includes(secret))) continue;
    delete whole[name];
    if (!file) {
      // As with an empty URL: what it names is meant, so it must not be left out silently.
      if (hasId) whole[secret] ??= '';
      continue;
    }
    if (env[secret]) throw new ConfigError(`${secret} and ${name} are both set: set one of them.`);
    whole[secret] = contentOf(name, file, hasId);
  }
  return whole;
}

function contentOf(name: string, file: string, hasId: boolean): string {
  if (hasId && /^[a-z]+:/i.test(file)) {
    throw new ConfigError(`${name} must name a file that holds a URL: an id may not end in _file.`);
  }
  const secret = readNamedFile(name, file).replace(/[\r\n]+$/, '');
  if (secret === '') throw new ConfigError(`${name} names a file that is empty: ${oneLine(file)}`);
  return secret;
}

/** Why a file cannot be read, by the code of the error. */
const UNREADABLE: Record<string, string> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
};

/**
 * The text of a file that a variable names.
 *
 * @throws ConfigError if it cannot be read
 */
export function readNamedFile(name: string, file: string): string {
  try {
    return readRegularFile(file);
  } catch (error) {
    const code = errorCode(error) || 'unreadable';
    const why = UNREADABLE[code] ?? code;
    throw new ConfigError(`${name} names a file that cannot be read (${why}): ${oneLine(file)}`);
  }
}

const oneLine = (file: string) => JSON.stringify(file).slice(1, -1);
