import { causes } from '../database-failure';
import { tlsFailure } from '../tls-failure';

const CREDENTIALS = 'it refuses the user or the password of its URL';
const TOO_MANY = 'it has as many connections as it accepts';
const USED_UP = 'its user has used up what it may do in an hour (such as MAX_QUERIES_PER_HOUR)';
const METHOD = 'its user signs in by a method that Lockyard does not support';
const NOT_OFFERED = 'its user signs in by a method that this server does not offer';
const LOCKED = 'the account of its user is locked';
const BLOCKED = 'its user is blocked after too many failed sign-ins';
const EXPIRED = 'the password of its user has expired';

/** Error numbers with which MySQL and MariaDB refuse a connection. */
const MEANINGS: Record<number, string> = {
  1040: TOO_MANY,
  1044: 'its user may not use the database that its URL names',
  1045: CREDENTIALS,
  1047: 'this node has lost most of its Galera cluster, or has not joined it yet',
  1049: 'it has no database of the name in its URL',
  1129: 'it blocks this host after too many failed connections (FLUSH HOSTS unblocks it)',
  1130: 'it accepts no connections from this host',
  1203: TOO_MANY,
  1226: TOO_MANY,
  1251: METHOD,
  1524: NOT_OFFERED,
  1698: CREDENTIALS,
  1820: EXPIRED,
  1862: EXPIRED,
  3032: 'it is in offline mode: only its administrators may connect',
  3118: LOCKED,
  3159: 'it accepts connections with TLS only (mysqls:)',
  3955: BLOCKED,
  4150: BLOCKED,
  4151: LOCKED,
};

const ACCOUNT_LIMIT = 1226;

/** Whether a user has reached a limit of its account for an hour, not one of its connections. */
export const isUsedUp = (error: unknown): boolean =>
  causes(error).some((cause) => {
    const { errno, message } = cause as { errno?: unknown; message?: unknown };
    return errno === ACCOUNT_LIMIT && /_per_hour/.test(String(message));
  });

/**
 * Why a server that answers cannot be used, as the end of a sentence about it, without the names of
 * users and hosts; null for other errors.
 */
export function connectionRefusal(error: unknown): string | null {
  const tls = tlsFailure(error);
  if (tls) return tls;
  if (isUsedUp(error)) return USED_UP;
  for (const cause of causes(error)) {
    const { errno, code } = cause as { errno?: unknown; code?: unknown };
    if (code === 'AUTH_SWITCH_PLUGIN_ERROR') return METHOD;
    const meaning = typeof errno === 'number' ? MEANINGS[errno] : undefined;
    if (meaning) return meaning;
  }
  return null;
}
