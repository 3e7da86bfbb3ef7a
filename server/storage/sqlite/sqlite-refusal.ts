import { LibsqlError } from '@libsql/client/sqlite3';
import { CommitUnknown, causes } from '@/db/database-failure';
import { FlushFailed } from '@/db/sqlite/log-flushing';
import { LogLost } from '@/db/sqlite/rewrite-log';
import { isBusy } from '@/db/sqlite/sqlite-file';
import { StoreError } from '../record-store';

const BROKEN =
  'Writes to the SQLite file did not reach its disk. Nothing is written or read until they have ' +
  'been written again, which is tried once a second.';

const LOST =
  'Writes to the SQLite file did not reach its disk and cannot be written again. Once the disk ' +
  'is repaired, restart this server.';

/** The meanings of the codes with which SQLite rolls back the whole transaction. */
const MEANINGS: Record<string, string> = {
  SQLITE_FULL: 'The disk of the SQLite file is full: it takes no writes.',
  SQLITE_READONLY: 'The SQLite file is read-only: it takes no writes.',
};

/**
 * The error for a call of the SQLite file that failed.
 *
 * @param applied what is known of its effect where the error does not say
 */
export function sqliteRefusal(cause: unknown, applied: 'no' | 'unknown'): StoreError {
  if (isBusy(cause)) return new StoreError('Another program writes the file.', 'no', { cause });
  const chain = causes(cause);
  if (chain.some((each) => each instanceof FlushFailed)) {
    const isCommitted = chain.some((each) => each instanceof CommitUnknown);
    const refusal = chain.some((each) => each instanceof LogLost) ? LOST : BROKEN;
    return new StoreError(refusal, isCommitted ? 'unknown' : 'no', { cause, refusal });
  }
  const [code] = chain.flatMap((each) => (each instanceof LibsqlError ? [each.code] : []));
  const refusal = code === undefined ? undefined : MEANINGS[code];
  return refusal === undefined
    ? new StoreError('The SQLite file did not answer.', applied, { cause })
    : new StoreError(refusal, 'no', { cause, refusal });
}
