import { recordSystemEvent } from '../operations/audit/audit-log';
import type { ControlRuntime } from '../operations/operation-context';
import type { Clock } from '../platform/clock';
import { Periodic } from '../platform/periodic';

const CHECK_EVERY_MS = 1_000;
const END_SESSIONS_EVERY_MS = 60_000;

export interface WatchedClocks {
  /** Called by the engine of a backend when its clock was set. */
  onBackendStep: (backend: string) => (ms: number) => void;
  /** Begins to watch this machine's clock. The returned function stops that. */
  start(runsMaintenance: () => boolean): () => Promise<void>;
}

/**
 * Records in log and audit log when a clock is set, this server's or a backend's, and permanently
 * ends expired sessions before this server's clock can be set back.
 */
export function watchClocks(control: ControlRuntime): WatchedClocks {
  const { clock, log, sessions } = control;
  let recordsBackendSteps = () => true;
  const watch = new ClockWatch(clock, (step) => {
    log.warn(step, 'A clock was set');
    // Every process sees a step of a backend's clock; one of them records it.
    if (step.clock !== 'server' && !recordsBackendSteps()) return;
    auditClockStep(control, step).catch((err: unknown) =>
      log.warn({ err }, 'A clock step could not be written to the audit log'),
    );
  });
  return {
    onBackendStep: (backend) => (ms) => watch.report(backend, ms),
    start(runsMaintenance) {
      recordsBackendSteps = runsMaintenance;
      const jobs = [
        new Periodic({ job: 'check the clock', everyMs: CHECK_EVERY_MS, run: () => watch.check() }),
        new Periodic({
          job: 'end expired sessions',
          everyMs: END_SESSIONS_EVERY_MS,
          run: () => sessions.endExpired(),
          log,
        }),
      ].map((job) => job.start());
      return async () => {
        await Promise.all(jobs.map((job) => job.stop()));
      };
    },
  };
}

/** Records a clock step in the audit log: leases, sessions and the log's instants depend on it. */
async function auditClockStep(runtime: ControlRuntime, step: ClockStep): Promise<void> {
  const { clock, ms } = step;
  const byMs = Math.abs(ms);
  const direction = ms < 0 ? 'back' : 'forward';
  const what = { act: 'clock.set', subject: clock, reason: '' } as const;
  await recordSystemEvent({ runtime, actor: null, address: 'local', requestId: '' }, what, {
    direction,
    byMs,
  });
}

/** A smaller difference may be a fine adjustment of the clock, or due to slow readings. */
const STEP_MIN_MS = 1_000;

/** A step of a clock: forward or, if `ms` is negative, back. */
interface ClockStep {
  /** `server`: this machine's clock; else the id of the backend that has the clock. */
  clock: string;
  /** The least possible size of the step. */
  ms: number;
}

/**
 * Detects steps of this machine's clock by the monotonic clock, and reports the steps of backends'
 * clocks that engines found. A machine that was suspended looks like one whose clock was set
 * forward.
 */
class ClockWatch {
  private aheadMs: number;

  constructor(
    private readonly clock: Clock,
    private readonly onStep: (step: ClockStep) => void,
  ) {
    this.aheadMs = clock.now() - clock.monotonic();
  }

  /** Checks this machine's clock. */
  check(): void {
    const aheadMs = this.clock.now() - this.clock.monotonic();
    const ms = Math.round(aheadMs - this.aheadMs);
    if (Math.abs(ms) < STEP_MIN_MS) return;
    this.aheadMs = aheadMs;
    this.onStep({ clock: 'server', ms });
  }

  /** Reports that a backend's clock was set. */
  report(backend: string, ms: number): void {
    if (Math.abs(ms) >= STEP_MIN_MS) this.onStep({ clock: backend, ms: Math.round(ms) });
  }
}
