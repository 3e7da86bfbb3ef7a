import { causes, databaseFailure } from '@/db/database-failure';
import { StartError } from '../platform/start-error';

/** Why a file cannot be created, read or written, for the person who starts the server. */
const FILE_REASONS: Record<string, string> = {
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EMFILE: 'too many files are open; raise the limit with ulimit -n',
  ENFILE: 'this machine has too many files open',
};

interface Failure {
  code?: unknown;
  path?: unknown;
  message?: unknown;
  sqlMessage?: unknown;
}

/**
 * Why a start failed, in one line without secrets; null for an unexpected error, which belongs in
 * the log with its stack.
 */
export function startComplaint(error: unknown): string | null {
  if (error instanceof StartError) return error.message;
  const chain = causes(error) as Failure[];
  for (const { code, path, message, sqlMessage } of chain) {
    const why = FILE_REASONS[String(code)];
    if (why !== undefined) return `${path ?? 'A file'} cannot be used: ${why}.`;
    if (/^SQLITE_(CORRUPT|NOTADB)/.test(String(code))) {
      return `The control database is damaged (${firstLine(message)}). Restore a backup of it.`;
    }
    if (sqlMessage) return `The control database refused a statement: ${firstLine(sqlMessage)}.`;
  }
  if (databaseFailure(error, 'no') === null) return null;
  const cause = firstLine(chain.at(-1)?.message);
  return `The control database failed while the server started: ${cause}.`;
}

const firstLine = (text: unknown) =>
  String(text ?? 'no reason given')
    .split('\n')[0]
    ?.replace(/\.$/, '');
