import { execFileSync } from 'node:child_process';

/** Limits the size of a server's files, beyond which its disk seems full. Linux only. */
export function limitFiles(server: { pid(): number }, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(server.pid()), `--fsize=${bytes}:unlimited`]);
}
