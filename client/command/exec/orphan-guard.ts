import { type ChildProcess, spawn } from 'node:child_process';

/** Reads a process id, waits for the end of its standard input, and then kills that process. */
const SCRIPT =
  'read -r id && { read -r _ || { kill -s TERM -- "$id"; sleep "$1"; kill -s KILL -- "$id"; }; }';

/**
 * Ends a command whose `lockyard exec` is killed with SIGKILL: its lock is no longer renewed, and
 * no other process would end it. A shell that reads from a pipe notices immediately, without
 * polling. Without a shell there is no guard.
 */
export class OrphanGuard {
  private readonly shell: ChildProcess;

  /** Starts before the command, so that the command never runs without it. */
  constructor(graceMs: number) {
    this.shell = spawn('/bin/sh', ['-c', SCRIPT, 'lockyard-guard', String(graceMs / 1_000)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { ...process.env, LOCKYARD_API_KEY: undefined },
      // It must not receive the signals of a terminal's keys.
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
