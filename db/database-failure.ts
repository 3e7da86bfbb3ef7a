import { LockyardError } from '../server/contract/errors';

/** The database did not confirm a commit, which may have been applied. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
}

/** The database did not answer within the time limit. Whether a write was applied is unknown. */
export class DatabaseTimeout extends Error {
  override readonly name = 'DatabaseTimeout';
}

/**
 * The caller's error for an error of the control database; null if that does not mean that the
 * database is not responding.
 *
 * @param applied what a failed call may have done: `no` for reads and transactions, `unknown` for
 *   single writes
 */
export function databaseFailure(error: unknown, applied: 'no' | 'unknown'): LockyardError | null {
  const chain = causes(error);
  const isCommitUnknown = chain.some((each) => each instanceof CommitUnknown);
  if (!isCommitUnknown && !chain.some(isAway)) return null;
  return applied === 'no' && !isCommitUnknown
    ? new LockyardError('BACKEND_DOWN', chain.map(whyNoWrites).find(Boolean) ?? SILENT, {
        cause: error,
        retryAfterMs: 1_000,
      })
    : new LockyardError('UNKNOWN', 'The control database did not confirm the change.', {
        cause: error,
      });
}

const SILENT = 'The control database does not answer.';
const FULL = 'The control database or its disk is full: it takes no writes.';
const READ_ONLY = 'The control database is read-only: it takes no writes.';

/** Why a database that answers takes no writes, by its codes and error numbers. */
const NO_WRITES = new Map<unknown, string>([
  ['SQLITE_FULL', FULL],
  [1021, FULL],
  [1114, FULL],
  ['SQLITE_READONLY', READ_ONLY],
  [1792, READ_ONLY],
  [1836, READ_ONLY],
]);

function whyNoWrites(error: unknown): string | undefined {
  const { code, errno, message } = error as { code?: unknown; errno?: unknown; message?: unknown };
  // The options that make a server read-only have names such as --super-read-only.
  if (errno === 1290 && /read-only/.test(String(message))) return READ_ONLY;
  return NO_WRITES.get(code) ?? NO_WRITES.get(errno);
}

/** An error and all its causes, outermost first: Drizzle and the drivers wrap errors. */
export function causes(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let at = error; at && chain.length < 8; at = (at as { cause?: unknown }).cause) {
    chain.push(at);
  }
  return chain;
}

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'PROTOCOL_CONNECTION_LOST',
  'POOL_CLOSED',
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
  'SQLITE_BUSY',
  'CLIENT_CLOSED',
]);

/**
 * Error numbers of a server that responds but refuses: too many connections or statements, shutting
 * down, read-only, full, killed, timed out, without most of its Galera cluster.
 */
const REFUSALS = [
  1021, 1040, 1047, 1053, 1114, 1203, 1205, 1213, 1226, 1290, 1317, 1792, 1836, 1927, 1969, 3024,
];

/**
 * Those with which a server refuses a connection because of its user, its host or its database,
 * which may have been changed since the start.
 */
const CONNECTION_REFUSALS = [1044, 1045, 1049, 1129, 1130, 1698, 1820, 1862, 3118, 3159, 4151];

const SERVER_ERRNOS = new Set([...REFUSALS, ...CONNECTION_REFUSALS]);

function isAway(error: unknown): boolean {
  if (error instanceof DatabaseTimeout) return true;
  if (typeof error !== 'object' || error === null) return false;
  const { code, errno, fatal } = error as { code?: unknown; errno?: unknown; fatal?: unknown };
  return (
    (typeof code === 'string' && NETWORK_CODES.has(code)) ||
    (typeof errno === 'number' && SERVER_ERRNOS.has(errno)) ||
    fatal === true
  );
}
