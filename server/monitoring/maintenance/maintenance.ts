import { MAINTENANCE_LEASE_MS, MAINTENANCE_RENEW_EVERY_MS } from '../../core/timing';
import { OWN_NAMESPACE } from '../../engine/membership';
import { anonymousRequest } from '../../engine/request-identity';
import type { Log } from '../../platform/log';
import { Periodic } from '../../platform/periodic';
import type { Alerting } from '../alerts/alerting';
import type { EventRecorder } from '../history/recorder/event-recorder';
import type { HeatRecorder } from '../incidents/heat-recorder';
import type { IncidentRecorder } from '../incidents/incident-recorder';
import type { UrlWitnesses } from '../liveness/url-witnesses';
import type { MonitoredBackend } from '../projection/monitored-backend';
import { type MaintenanceJob, type MaintenanceParts, maintenanceJobs } from './maintenance-jobs';

export const MAINTENANCE_KEY = { namespace: OWN_NAMESPACE, name: 'chores' };

export interface MaintenanceOptions extends MaintenanceParts {
  recorders: (MaintenanceParts['recorders'][number] &
    Pick<EventRecorder, 'restart' | 'lagMs' | 'unreadableCommits'>)[];
  incidents: Pick<IncidentRecorder, 'run' | 'prune' | 'restart'>;
  heat: Pick<HeatRecorder, 'run' | 'prune' | 'restart' | 'flush'>;
  alerts: Pick<Alerting, 'jobs' | 'restart' | 'abort'>;
  witnesses: Pick<UrlWitnesses, 'jobs' | 'restart' | 'abort'>;
  log: Log;
  processId: string;
}

/** What is not recorded of the history of a store. */
export interface HistoryLag {
  store: string;
  /** For how long its events have not been recorded. */
  lagMs: number;
  /** How many of its commits this process has skipped because they are unreadable. */
  unreadableCommits: number;
}

/**
 * Maintenance that one process does for all: the one that holds Lockyard's own maintenance lock on
 * the control database's backend. Every job is safe to repeat, so a moment with two such processes
 * does no harm.
 */
export class Maintenance {
  private token: number | null = null;
  /** When the lease has surely expired, on the monotonic clock: others can then have the lock. */
  private leaseEndsAt = 0;
  private readonly leasing: Periodic;
  /** Run only while this process has the lock. A slow backend delays only its own jobs. */
  private readonly jobs: Periodic[];

  constructor(private readonly parts: MaintenanceOptions) {
    this.leasing = new Periodic({
      job: 'hold the maintenance lock',
      everyMs: MAINTENANCE_RENEW_EVERY_MS,
      run: () => this.keepLease(),
      log: parts.log,
    });
    this.jobs = maintenanceJobs(parts).map((job) => this.whileRunner(job));
  }

  /** A job that does its work only while this process has the lock. */
  private whileRunner({ name, everyMs, run: work }: MaintenanceJob): Periodic {
    const { clock, log } = this.parts;
    let doneAt = Number.NEGATIVE_INFINITY;
    const run = async () => {
      // After a stall a job may be due before this process finds out that it has lost the lock.
      if (!this.isRunner) return;
      // All are due whenever it regains the lock, which can be every few seconds.
      const isSoon = clock.monotonic() - doneAt < everyMs / 2;
      if (isSoon) return;
      await work(() => this.isRunner);
      doneAt = clock.monotonic();
    };
    return new Periodic({ job: name, everyMs, run, log });
  }

  /** Acquires the lock when it is free, and does the jobs while it holds it. */
  start(): this {
    this.leasing.start();
    return this;
  }

  /** Whether this process runs the jobs, as far as it knows. */
  get isRunner(): boolean {
    return this.token !== null && this.parts.clock.monotonic() < this.leaseEndsAt;
  }

  /** How far the recorded history lags, by store; empty while another process records it. */
  historyLags(): HistoryLag[] {
    if (!this.isRunner) return [];
    return this.parts.recorders.flatMap((recorder) => {
      const { id: store, unreadableCommits } = recorder;
      const lagMs = recorder.lagMs();
      return lagMs === null ? [] : [{ store, lagMs, unreadableCommits }];
    });
  }

  /** Stops, and lets another process take over immediately. */
  async stop(): Promise<void> {
    await this.leasing.stop();
    const { token } = this;
    this.token = null;
    this.abort();
    await Promise.all(this.jobs.map((job) => job.stop()));
    await this.parts.heat.flush().catch(() => undefined);
    if (token === null) return;
    const release = { verb: 'release', ...this.identity(), token, request: null } as const;
    await this.controlBackend()
      ?.engine.run(MAINTENANCE_KEY, release)
      .catch(() => undefined);
  }

  private async keepLease(): Promise<void> {
    const home = this.controlBackend();
    if (!home) return;
    const self = this.identity();
    const askedAt = this.parts.clock.monotonic();
    if (askedAt >= this.leaseEndsAt) this.loseLock();
    if (this.token !== null) {
      const renew = {
        verb: 'renew',
        ...self,
        token: this.token,
        leaseMs: MAINTENANCE_LEASE_MS,
      } as const;
      const { outcome } = await home.engine.run(MAINTENANCE_KEY, renew);
      if (outcome === 'renewed') {
        this.leaseEndsAt = askedAt + MAINTENANCE_LEASE_MS;
        return;
      }
      this.loseLock();
    }
    const answer = await home.engine.acquire(
      MAINTENANCE_KEY,
      {
        verb: 'acquire',
        ...self,
        leaseMs: MAINTENANCE_LEASE_MS,
        waitMs: 0,
        mode: 'exclusive',
        reentrant: false,
        meta: {},
        request: anonymousRequest(),
      },
      { holdRequestMs: 0 },
    );
    if (answer.outcome !== 'granted') return;
    this.token = answer.token;
    this.leaseEndsAt = askedAt + MAINTENANCE_LEASE_MS;
    for (const recorder of this.parts.recorders) recorder.restart();
    this.parts.incidents.restart();
    this.parts.heat.restart();
    this.parts.alerts.restart();
    this.parts.witnesses.restart();
    for (const job of this.jobs) void job.startNow();
  }

  private loseLock(): void {
    this.token = null;
    this.abort();
    const stopped = this.jobs.map((job) => job.stop());
    // What was counted would be missing until this process has the lock again, or ends.
    const flush = () => this.parts.heat.flush();
    void Promise.all(stopped)
      .then(flush)
      .catch(() => undefined);
  }

  /** Aborts requests to receivers and witnesses, which may not respond. */
  private abort(): void {
    this.parts.alerts.abort();
    this.parts.witnesses.abort();
  }

  private controlBackend(): MonitoredBackend | undefined {
    return this.parts.backends.find(({ id }) => id === 'default');
  }

  private identity() {
    return { service: 'lockyard', owner: this.parts.processId };
  }
}
