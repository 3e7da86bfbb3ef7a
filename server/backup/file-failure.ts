import { StartError } from '@/server/platform/start-error';

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this user may not do that',
  EPERM: 'this user may not do that',
  EEXIST: 'it is there already; --force replaces it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a file is in the way',
  ABORT_ERR: 'it was broken off',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EFBIG: 'it would be larger than this user may write',
  EROFS: 'it is on a read-only file system',
};

/** The error of a backup's file in one line; any other error unchanged. */
export function fileFailure(file: string, doing: 'read' | 'written', cause: unknown): unknown {
  const why = REASONS[(cause as { code?: string } | null)?.code ?? ''];
  return why ? new StartError(`${file} cannot be ${doing}: ${why}.`, { cause }) : cause;
}
