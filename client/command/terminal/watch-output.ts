import type { Writable } from 'node:stream';

/**
 * Keeps a process from crashing when its output cannot be written. A reader that closes its pipe
 * early, as `head` does, is not a failure. After a failure, such as a full disk, a process that
 * would end with 0 calls `complain` and ends with `exitCode`.
 */
export function watchOutput(
  output: Writable,
  exitCode: number,
  complain: (message: string) => void,
): void {
  let failure: string | undefined;
  output.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') failure ??= message;
  });
  process.on('exit', (code) => {
    if (failure === undefined || code !== 0) return;
    complain(`Standard output cannot be written: ${failure}.`);
    process.exitCode = exitCode;
  });
}
