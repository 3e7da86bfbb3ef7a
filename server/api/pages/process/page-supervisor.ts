import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { StartError } from '@/server/platform/start-error';
import type { Clock } from '../../../platform/clock';
import { type Log, logSettings } from '../../../platform/log';
import { Periodic } from '../../../platform/periodic';
import { type PageProcessArguments, type PageProcessMessage, PING } from './page-process-protocol';

/** These heap limits leave room for code and buffers below 250 MB of resident memory. */
const HEAP_FLAGS = ['--max-old-space-size=112', '--max-semi-space-size=4', '--v8-pool-size=1'];
/** Gives locks priority over pages when the CPU is short. */
const NICENESS = 10;
const BACK_OFF_MIN_MS = 250;
const BACK_OFF_MAX_MS = 30_000;
/** After a run of this length the back-off starts at its minimum again. */
const STEADY_MS = 60_000;
const PING_EVERY_MS = 2_000;
/**
 * A process with this many unanswered pings, 8 s to 10 s, is stuck or stopped. Pings are counted,
 * not timed, because this process may have been stopped itself. Until its first page, which loads
 * most of the code, a process may be busy for longer, as on a machine where many start together.
 */
const UNANSWERED_MAX = 4;
const UNANSWERED_MAX_BEFORE_PAGES = 90;

export interface PageSupervisorOptions {
  /** The built program of the page process. */
  entry: string;
  sockets: PageProcessArguments;
  /** The complete environment of the process. */
  env: NodeJS.ProcessEnv;
  clock: Clock;
  log: Log;
  /** How often the process is pinged. */
  pingEveryMs?: number;
}

/** Keeps one page process running: restarts it when it dies or is stuck, ends it on `close`. */
export class PageSupervisor {
  private child: ChildProcess | null = null;
  private isEnding = false;
  /** Whether the current process has rendered a page. */
  private hasRendered = false;
  /** Pings that the current process has not answered. */
  private unanswered = 0;
  private retry: NodeJS.Timeout | null = null;
  private backOffMs = BACK_OFF_MIN_MS;
  /** Whether the process is ready for requests. */
  isUp = false;
  /** Starts after the first one. */
  restarts = 0;
  /** Its resident memory as last reported; 0 before that. */
  residentBytes = 0;

  constructor(private readonly parts: PageSupervisorOptions) {}

  /** Starts the process. Rejects with `StartError` if it ends before it is ready. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.launch(resolve, () =>
        reject(
          new StartError(
            'The process that renders pages ended as it started; its last lines say why.',
          ),
        ),
      );
    });
  }

  /** To be called after every rendered page: after its first one a process must answer in time. */
  noteRendered(): void {
    this.hasRendered = true;
    this.unanswered = 0;
  }

  /** Its process id, while it runs. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Ends it permanently. */
  async close(): Promise<void> {
    this.isEnding = true;
    if (this.retry) clearTimeout(this.retry);
    const { child } = this;
    if (!child) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  private launch(onReady: () => void, onFailure: () => void): void {
    const { entry, sockets, env, clock, log, pingEveryMs = PING_EVERY_MS } = this.parts;
    rmSync(sockets.pagesSocket, { force: true });
    const addresses = [sockets.pagesSocket, sockets.consoleSocket];
    const child = fork(entry, [...addresses, JSON.stringify(logSettings(env))], {
      env,
      execArgv: ['--enable-source-maps', ...HEAP_FLAGS],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.child = child;
    this.hasRendered = false;
    this.unanswered = 0;
    const startedAt = clock.monotonic();
    let isStuck = false;
    let wasReady = false;
    const ping = () => {
      this.unanswered += 1;
      const mostUnanswered = this.hasRendered ? UNANSWERED_MAX : UNANSWERED_MAX_BEFORE_PAGES;
      isStuck = this.unanswered > mostUnanswered;
      if (isStuck) child.kill('SIGKILL');
      else if (child.connected) child.send(PING, () => undefined);
    };
    const job = 'ping the process that renders pages';
    const pinging = new Periodic({ job, everyMs: pingEveryMs, run: ping, log }).start();
    child.on('message', (message: PageProcessMessage) => {
      this.unanswered = 0;
      if (message === 'ready') {
        wasReady = true;
        this.isUp = true;
        lowerPriority(child);
        onReady();
      } else this.residentBytes = message.residentBytes;
    });
    let isOver = false;
    const end = (why: object) => {
      if (isOver) return;
      isOver = true;
      void pinging.stop();
      this.child = null;
      this.isUp = false;
      if (this.isEnding) return;
      if (!wasReady) onFailure();
      if (clock.monotonic() - startedAt >= STEADY_MS) this.backOffMs = BACK_OFF_MIN_MS;
      const again = { againInMs: this.backOffMs };
      if (isStuck)
        log.error(again, 'The process that renders pages did not respond and was killed');
      else log.error({ ...why, ...again }, 'The process that renders pages has ended');
      this.retry = setTimeout(() => this.launchAgain(), this.backOffMs);
      this.backOffMs = Math.min(2 * this.backOffMs, BACK_OFF_MAX_MS);
    };
    child.once('error', (err) => end({ err }));
    child.once('exit', (code, signal) => end({ code, signal }));
  }

  private launchAgain(): void {
    this.restarts += 1;
    this.launch(ignore, ignore);
  }
}

const ignore = () => undefined;

/** Linux has a priority per thread, and Node's pool threads do as much as the main thread. */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    for (const thread of threadsOf(pid)) setPriority(thread, NICENESS);
  } catch {
    // The process has ended already, or this system has no priorities: neither prevents the start.
  }
}

function threadsOf(pid: number): number[] {
  if (process.platform !== 'linux') return [pid];
  return readdirSync(`/proc/${pid}/task`).map(Number);
}
