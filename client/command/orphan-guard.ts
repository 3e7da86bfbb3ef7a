import { type ChildProcess, spawn } from 'node:child_process';

/** Is told whom to watch; then waits for the end of its standard input, and ends the watched. */
const SCRIPT =
  'read -r who && { read -r _ || { kill -s TERM -- "$who"; sleep "$1"; kill -s KILL -- "$who"; }; }';

/**
 * Ends a command whose keeper is killed outright: then nobody renews its lock any more, and nobody
 * else is left to end it. A shell on a pipe does, which needs no look at the clock. Where there is
 * no shell there is no guard.
 */
export class OrphanGuard {
  private readonly shell: ChildProcess;

  /** Begins before the command does, so that there is no moment without it. */
  constructor(graceMs: number) {
    this.shell = spawn('/bin/sh', ['-c', SCRIPT, 'lockyard-guard', String(graceMs / 1_000)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { ...process.env, LOCKYARD_API_KEY: undefined },
      // The keys of a terminal are not meant for it.
      detached: true,
    });
    this.shell.on('error', () => {});
    this.shell.stdin?.on('error', () => {});
    this.shell.unref();
  }

  /** @param target what `kill` is given: a process, or a negative process group */
  watch(target: number): void {
    this.shell.stdin?.write(`${target}\n`);
  }

  callOff(): void {
    this.shell.kill('SIGKILL');
  }
}
