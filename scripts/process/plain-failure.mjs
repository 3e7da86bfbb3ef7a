/** A failure whose message, one clear line, is printed without a stack. */
export class PlainFailure extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

const WRITE_REASONS = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
};

/** Why a file could not be written, in a few words; null for any other error. */
export const writeReason = (error) => WRITE_REASONS[error?.code] ?? null;

/**
 * Prints an error on standard error, with a stack only if it is unexpected, and exits with its
 * code.
 */
export function endWith(error) {
  const isExpected = error instanceof PlainFailure;
  const reason = writeReason(error);
  const line = reason && `${error.path ?? 'A file'} cannot be written: ${reason}.`;
  process.stderr.write(`${isExpected ? error.message : (line ?? error?.stack ?? error)}\n`);
  process.exit(isExpected ? error.exitCode : 1);
}
