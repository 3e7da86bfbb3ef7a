import { systemClock } from './clock';
import { countRun, reportJob } from './job-reports';
import type { Log } from './log';

/** Calls `work` once, `afterMs` from now; the returned function cancels that. */
export type Timer = (work: () => void, afterMs: number) => () => void;

/** Called between two steps of work that can take minutes; false: the work must end. */
export type ShouldContinue = () => boolean;

/** A timer that does not keep the process alive. */
const systemTimer: Timer = (work, afterMs) => {
  const timer = setTimeout(work, afterMs).unref();
  return () => clearTimeout(timer);
};

/** The pause after a first failure, unless runs are more frequent; it doubles from there. */
const BACK_OFF_MIN_MS = 1_000;

/** The longest pause after failures, unless runs are less frequent. */
const BACK_OFF_MAX_MS = 2_000;

const DOUBLINGS_MAX = 20;

export interface PeriodicOptions {
  /** The name of the job in the log, in metrics and for `lockyard doctor`. */
  job: string;
  /** The pause between the end of one run and the start of the next. */
  everyMs: number | (() => number);
  run: () => unknown;
  /** Omitted: the job reports its own failures. */
  log?: Pick<Log, 'warn'> | undefined;
  timer?: Timer | undefined;
}

/**
 * A job that runs periodically, one run at a time.
 *
 * A run that fails is retried after a pause that doubles with each further failure. The first
 * failure is logged; those that follow it are not until a run succeeds, because a database may be
 * down all night.
 */
export class Periodic {
  private isStarted = false;
  private failures = 0;
  private cancel: (() => void) | null = null;
  private running: Promise<void> | null = null;
  private stopReporting: (() => void) | null = null;
  /** On the monotonic clock; at first, when it was started. */
  lastSuccessAt = 0;

  constructor(private readonly options: PeriodicOptions) {}

  /** Runs for the first time after one pause. Does nothing if started already. */
  start(): this {
    if (this.isStarted) return this;
    this.setStarted();
    if (!this.running) this.schedule();
    return this;
  }

  /**
   * Runs immediately, then periodically. Resolves after the first run, whether or not it failed.
   */
  startNow(): Promise<void> {
    this.setStarted();
    return this.runNow();
  }

  /** Runs immediately, or joins the run in progress. Never rejects. */
  runNow(): Promise<void> {
    this.cancel?.();
    this.cancel = null;
    this.running ??= this.attempt().finally(() => {
      this.running = null;
      if (this.isStarted) this.schedule();
    });
    return this.running;
  }

  /** Resolves when the run in progress has ended. Can be started again. */
  async stop(): Promise<void> {
    this.isStarted = false;
    this.stopReporting?.();
    this.stopReporting = null;
    this.cancel?.();
    this.cancel = null;
    await this.running;
  }

  /** Whether its last run failed. */
  get isFailing(): boolean {
    return this.failures > 0;
  }

  /** The configured pause between two runs, not the shorter or longer one after a failure. */
  get pauseMs(): number {
    const { everyMs } = this.options;
    return typeof everyMs === 'number' ? everyMs : everyMs();
  }

  private setStarted(): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.lastSuccessAt = systemClock.monotonic();
    this.stopReporting = reportJob(this.options.job, this);
  }

  private schedule(): void {
    const { timer = systemTimer } = this.options;
    this.cancel = timer(() => void this.runNow(), this.nextPauseMs());
  }

  private nextPauseMs(): number {
    const { pauseMs } = this;
    if (this.failures === 0) return pauseMs;
    const doublings = Math.min(this.failures - 1, DOUBLINGS_MAX);
    const backOffMs = Math.min(pauseMs, BACK_OFF_MIN_MS) * 2 ** doublings;
    return Math.min(backOffMs, Math.max(pauseMs, BACK_OFF_MAX_MS));
  }

  private async attempt(): Promise<void> {
    const { job, run, log } = this.options;
    try {
      await run();
      this.failures = 0;
      this.lastSuccessAt = systemClock.monotonic();
      countRun(job, false);
    } catch (err) {
      this.failures += 1;
      countRun(job, true);
      if (this.failures === 1) log?.warn({ job, err }, 'A background job failed, retrying');
    }
  }
}
