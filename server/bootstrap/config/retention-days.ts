import { DEFAULT_RETENTION, type Retention } from '../../core/retention';
import { DAY_MS } from '../../core/time-units';
import { ConfigError } from '../../platform/start-error';

const DAYS_MAX = 3_650;
const HISTORY = 'LOCKYARD_HISTORY_DAYS';
const MINUTES = 'LOCKYARD_MINUTES_DAYS';
const AUDIT = 'LOCKYARD_AUDIT_DAYS';

/** The variables that set how long history, roll-ups and the audit log are kept. */
export const RETENTION_NAMES = [HISTORY, MINUTES, AUDIT];

type Env = Record<string, string | undefined>;

/** Roll-ups are kept twice as long as the history unless configured. Throws `ConfigError`. */
export function readRetention(env: Env): Retention {
  const historyMs = readDays(env, HISTORY) ?? DEFAULT_RETENTION.historyMs;
  const minutesMs = readDays(env, MINUTES) ?? 2 * historyMs;
  if (minutesMs < historyMs) {
    const days = historyMs / DAY_MS;
    throw new ConfigError(`${MINUTES} must be at least ${HISTORY}, which is ${days}.`);
  }
  return { historyMs, minutesMs, auditMs: readDays(env, AUDIT) };
}

/** In milliseconds; null: not set. */
function readDays(env: Env, name: string): number | null {
  const text = env[name];
  if (text === undefined || text === '') return null;
  const days = Number(text);
  if (/^\d{1,4}$/.test(text) && days >= 1 && days <= DAYS_MAX) return days * DAY_MS;
  throw new ConfigError(
    `${name} must be a whole number of days from 1 to ${DAYS_MAX}, not "${text}".`,
  );
}
