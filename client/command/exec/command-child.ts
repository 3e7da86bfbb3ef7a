import { ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { readParents } from '../../platform/linux-process';
import { CommandFailure, EXIT, signalExitCode } from '../exit-codes';

const CHECK_EVERY_MS = 20;
const ENDING: ReadonlySet<NodeJS.Signals> = new Set(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM']);

/** A running command, whose standard streams are those of this process. */
export class CommandChild {
  /** The exit code, as a shell reports it. */
  readonly ended: Promise<number>;

  /**
   * Starts a command in this process's environment.
   *
   * @param more variables that it gets as well
   * @param ownGroup whether it gets its own process group, so that it can be ended with all that it
   *   has started. Without one it stays in this process's group, and the terminal sends the signals
   *   of its keys to both
   * @param onPid called with the argument of `kill` that reaches it, before anything else happens
   * @throws CommandFailure with 127 if there is no such program, 126 if it cannot be run
   */
  static async start(
    [program, ...words]: [string, ...string[]],
    more: Record<string, string>,
    ownGroup: boolean,
    onPid: (target: number) => void,
  ): Promise<CommandChild> {
    try {
      const child = spawnUnchanged(program, words, more, ownGroup);
      const started = new CommandChild(child, ownGroup);
      if (child.pid) onPid(started.target);
      await once(child, 'spawn');
      return started;
    } catch (error) {
      throw notRun(program, error);
    }
  }

  private constructor(
    private readonly child: ChildProcess,
    readonly ownGroup: boolean,
  ) {
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve(code ?? signalExitCode(signal ?? 'SIGKILL')));
    });
  }

  /** The argument of `kill` that reaches it: its process id, or its group as a negative number. */
  get target(): number {
    const pid = this.child.pid ?? 0;
    return this.ownGroup ? -pid : pid;
  }

  /** Passes a signal on: to the whole group if it asks to end, otherwise to the command alone. */
  signal(signal: NodeJS.Signals): void {
    send(ENDING.has(signal) ? this.target : Math.abs(this.target), signal);
  }

  /** Stops it and what it started, until `resume`. */
  pause(): void {
    send(this.target, 'SIGSTOP');
  }

  resume(): void {
    send(this.target, 'SIGCONT');
  }

  /** Ends it and what it started: SIGTERM, and SIGKILL for whatever is left `graceMs` later. */
  async end(graceMs: number): Promise<void> {
    const targets = this.ownGroup ? [this.target] : descendants(this.target);
    const until = performance.now() + graceMs;
    for (const target of targets) send(target, 'SIGTERM');
    while (targets.some(isRunning) && performance.now() < until) {
      await sleep(Math.min(CHECK_EVERY_MS, Math.max(0, until - performance.now())));
    }
    for (const target of targets) send(target, 'SIGKILL');
  }
}

/**
 * As `spawn`, which passes on variables as Node has read them: with U+FFFD in place of bytes that
 * are not UTF-8. If there are any, the child inherits this process's environment itself, by the
 * method on which `spawn` is built, and which Node does not document.
 */
function spawnUnchanged(
  program: string,
  words: string[],
  more: Record<string, string>,
  detached: boolean,
): ChildProcess {
  const { env } = process;
  const options = { stdio: 'inherit', detached } as const;
  if (!Object.entries(env).some((entry) => entry.join().includes('\ufffd'))) {
    return spawn(program, words, { ...options, env: { ...env, ...more } });
  }
  Object.assign(env, more);
  const child = new ChildProcess() as ChildProcess & { spawn(options: object): void };
  child.spawn({ ...options, file: program, args: [program, ...words] });
  return child;
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // The process has ended meanwhile, or runs as a user that this process may not signal.
  }
}

function isRunning(target: number): boolean {
  try {
    process.kill(target, 0);
    return true;
  } catch {
    return false;
  }
}

/** A process and all its descendants, itself first; only itself if they cannot be listed. */
function descendants(root: number): number[] {
  const found = [root];
  const parents = readParents() ?? parentsByPs();
  for (const parent of found) {
    for (const [pid, ppid] of parents) if (ppid === parent && pid) found.push(pid);
  }
  return found;
}

/** The parent of every process, where there is no `/proc`. */
function parentsByPs(): Map<number, number> {
  try {
    const listing = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    const rows = listing.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
    return new Map(rows.map(([pid = 0, ppid = 0]) => [pid, ppid]));
  } catch {
    return new Map();
  }
}

function notRun(program: string, error: unknown): CommandFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  if (code === 'ENOENT') return new CommandFailure(EXIT.notFound, `${program}: command not found`);
  return new CommandFailure(EXIT.notExecutable, `${program}: cannot be run (${code})`);
}
