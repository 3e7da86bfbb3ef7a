import { LOG_FORMAT_NAME, LOG_FORMATS, LOG_LEVEL_NAME, LOG_LEVELS } from '../../platform/log';
import { ConfigError } from '../../platform/start-error';

export const LOG_NAMES = [LOG_FORMAT_NAME, LOG_LEVEL_NAME];

/** Whether the page process gets a variable: of Lockyard's, only those of the log. */
export const isForPages = (name: string) =>
  !name.startsWith('LOCKYARD_') || LOG_NAMES.includes(name);

type Env = Record<string, string | undefined>;

/**
 * Throws `ConfigError` for invalid values. `logSettings` ignores them, since reporting an error
 * needs a log.
 */
export function refuseUnknownLogSettings(env: Env): void {
  requireOneOf(env, LOG_FORMAT_NAME, LOG_FORMATS);
  requireOneOf(env, LOG_LEVEL_NAME, LOG_LEVELS);
}

function requireOneOf(env: Env, name: string, values: readonly string[]): void {
  const text = env[name];
  if (text === undefined || text === '' || values.includes(text)) return;
  throw new ConfigError(`${name} must be one of ${values.join(', ')}, not "${text}".`);
}
