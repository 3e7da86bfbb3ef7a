import { errorCode } from '@/server/platform/files/error-code';
import { StartError } from '@/server/platform/start-error';

const REASONS: Record<string, string> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'it already exists; --force replaces it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a file is in the way',
  ABORT_ERR: 'interrupted',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EFBIG: 'the file size limit of this user was reached',
  EROFS: 'it is on a read-only file system',
  EPIPE: 'the reader has closed the pipe',
};

/** The error of a file in one line; any other error unchanged. */
export function fileFailure(file: string, doing: 'read' | 'written', cause: unknown): unknown {
  const why = REASONS[errorCode(cause)];
  return why ? new StartError(`${file} cannot be ${doing}: ${why}.`, { cause }) : cause;
}
