import { execFileSync } from 'node:child_process';

/** To a server whose files may not grow beyond so much the disk is full. Linux only. */
export function limitFiles(server: { pid(): number }, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(server.pid()), `--fsize=${bytes}:unlimited`]);
}
