import { causes } from '@/db/database-failure';
import { isUsedUp } from '@/db/mysql/connection-refusal';

const READ_ONLY = 'This database is read-only: it takes no writes.';
const OPTION = 'An option of this database prevents this (such as max_session_mem_used).';
const FULL = 'This database is full: it takes no writes.';
const NO_CLUSTER =
  'This database has lost most of its Galera cluster, or has not joined it yet: it serves nothing.';
const NO_RIGHT = 'The user of this database lacks a privilege that Lockyard needs.';
const USED_UP =
  'The user of this database has used up what it may do in an hour (such as MAX_QUERIES_PER_HOUR).';
const NO_TABLE = 'This database lacks a table or a column that Lockyard needs.';

/**
 * The meanings of errors with which MySQL and MariaDB refuse a statement before it changes
 * anything. A commit is refused only with the first three, and is then rolled back; as it is where
 * the user may run no more statements.
 */
const MEANINGS: Record<number, string> = {
  1290: OPTION,
  1836: READ_ONLY,
  1047: NO_CLUSTER,
  1792: READ_ONLY,
  1054: NO_TABLE,
  1114: FULL,
  1142: NO_RIGHT,
  1143: NO_RIGHT,
  1146: NO_TABLE,
};

/**
 * Why the server refuses a packet that ends with its commit, as a sentence for callers: nothing of
 * it was applied. Null for any other error, after which it may have been applied.
 */
export function mysqlRefusal(error: unknown): string | null {
  if (isUsedUp(error)) return USED_UP;
  for (const cause of causes(error)) {
    const { errno, message } = cause as { errno?: unknown; message?: unknown };
    const meaning = typeof errno === 'number' ? MEANINGS[errno] : undefined;
    // The options that make a server read-only have names such as --super-read-only.
    if (meaning === OPTION && /read-only/.test(String(message))) return READ_ONLY;
    if (meaning) return meaning;
  }
  return null;
}

/** Whether the server refuses every write: it may have become a replica. */
export function isReadOnly(error: unknown): boolean {
  return mysqlRefusal(error) === READ_ONLY;
}
