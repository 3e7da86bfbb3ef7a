import { IDLE_MS } from '../../core/names/deletion';
import { HOUR_MS } from '../../core/time-units';
import {
  EXPIRY_LEFT_TO_CALLERS_MS,
  EXPIRY_SCAN_EVERY_MS,
  INTENTS_EVERY_MS,
  MAINTENANCE_LEASE_MS,
  MAINTENANCE_RENEW_EVERY_MS,
} from '../../core/timing';
import { OWN_NAMESPACE } from '../../engine/membership';
import { anonymousRequest } from '../../engine/request-identity';
import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import { Periodic, type ShouldContinue } from '../../platform/periodic';
import type { Cursor, ObsoleteRecord, ReadRecord, RecordKey } from '../../storage/record-store';
import type { Alerting } from '../alerts/alerting';
import type { EventRecorder } from '../history/recorder/event-recorder';
import type { HeatRecorder } from '../incidents/heat-recorder';
import type { IncidentRecorder } from '../incidents/incident-recorder';
import type { UrlWitnesses } from '../liveness/url-witnesses';
import { TimeSlice } from '../lock-list/order/time-slice';
import { deleteReadRecords } from '../names/delete-records';
import type { NamespaceCapacity } from '../names/namespace-capacity';
import type { LockProjection } from '../projection/lock-projection';
import type { MonitoredBackend } from '../projection/monitored-backend';

export const MAINTENANCE_KEY = { namespace: OWN_NAMESPACE, name: 'chores' };
const RECORD_EVERY_MS = 300;
const QUEUES_EVERY_MS = 1_000;
const CLEAN_UP_EVERY_MS = 10 * 60_000;
const CAPACITY_EVERY_MS = 5_000;
const LEGACY_LIMITS_EVERY_MS = 2_000;
const PRUNE_EVIDENCE_EVERY_MS = 60_000;
const INCIDENTS_EVERY_MS = 1_000;
const DEAD_PROCESS_MS = HOUR_MS;
const SCAN_PAGE = 200;

export interface MaintenanceOptions {
  backends: MonitoredBackend[];
  projection: Pick<LockProjection, 'dueForExpiry' | 'remove'>;
  recorders: Pick<EventRecorder, 'id' | 'record' | 'prune' | 'restart' | 'lagMs'>[];
  incidents: Pick<IncidentRecorder, 'run' | 'prune' | 'restart'>;
  heat: Pick<HeatRecorder, 'run' | 'prune' | 'restart' | 'flush'>;
  alerts: Pick<Alerting, 'jobs' | 'restart' | 'abort'>;
  capacity: Pick<NamespaceCapacity, 'run' | 'setLegacyLimits'>;
  clock: Clock;
  log: Log;
  processId: string;
  /** Closes audit intents whose outcome was never written. */
  resolveIntents: () => Promise<void>;
  pruneAudit: (shouldContinue: ShouldContinue) => Promise<void>;
  witnesses: Pick<UrlWitnesses, 'jobs' | 'restart' | 'abort'>;
  /** Removes evidence on processes that no longer hold locks. */
  pruneEvidence: () => Promise<void>;
  /** Divides long work; absent: by the clock. */
  slice?: () => TimeSlice;
}

/** For how long the events of a store have not been recorded. */
export interface HistoryLag {
  store: string;
  lagMs: number;
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
    const { backends, recorders, incidents, heat, capacity, resolveIntents } = parts;
    const { witnesses, pruneEvidence, alerts, log, pruneAudit } = parts;
    this.leasing = new Periodic({
      job: 'hold the maintenance lock',
      everyMs: MAINTENANCE_RENEW_EVERY_MS,
      run: () => this.keepLease(),
      log,
    });
    const job = (
      name: string,
      everyMs: number,
      work: (shouldContinue: ShouldContinue) => unknown,
    ) => {
      let doneAt = Number.NEGATIVE_INFINITY;
      const run = async () => {
        // After a stall a job may be due before this process finds out that it has lost the lock.
        if (!this.isRunner) return;
        // All are due whenever it regains the lock, which can be every few seconds.
        const isSoon = parts.clock.monotonic() - doneAt < everyMs / 2;
        if (isSoon) return;
        await work(() => this.isRunner);
        doneAt = parts.clock.monotonic();
      };
      return new Periodic({ job: name, everyMs, run, log });
    };
    this.jobs = [
      ...backends.flatMap((backend) => [
        job(`end expired holds of ${backend.id}`, EXPIRY_SCAN_EVERY_MS, () =>
          backend.engine.expireAndPromote(this.findDue(backend, true)),
        ),
        // Removes dead waiters from queues that no caller uses.
        job(`check queues of ${backend.id}`, QUEUES_EVERY_MS, () =>
          backend.engine.expireAndPromote(this.findDue(backend, false)),
        ),
        job(`clean up ${backend.id}`, CLEAN_UP_EVERY_MS, () => this.deleteIdle(backend)),
      ]),
      ...recorders.flatMap((recorder) => [
        job(`record history of ${recorder.id}`, RECORD_EVERY_MS, () => recorder.record()),
        job(`prune history of ${recorder.id}`, CLEAN_UP_EVERY_MS, (shouldContinue) =>
          recorder.prune(shouldContinue),
        ),
      ]),
      job('record incidents', INCIDENTS_EVERY_MS, (shouldContinue) =>
        incidents.run(shouldContinue),
      ),
      job('prune incidents', CLEAN_UP_EVERY_MS, (shouldContinue) =>
        incidents.prune(shouldContinue),
      ),
      job('count waiting', INCIDENTS_EVERY_MS, () => heat.run()),
      job('prune counts of waiting', CLEAN_UP_EVERY_MS, (shouldContinue) =>
        heat.prune(shouldContinue),
      ),
      ...[...alerts.jobs(), ...witnesses.jobs()].map(({ name, everyMs, run }) =>
        job(name, everyMs, run),
      ),
      job('resolve audit intents', INTENTS_EVERY_MS, resolveIntents),
      job('prune the audit log', CLEAN_UP_EVERY_MS, pruneAudit),
      job('set name limits', LEGACY_LIMITS_EVERY_MS, () => capacity.setLegacyLimits()),
      job('free capacity', CAPACITY_EVERY_MS, (shouldContinue) => capacity.run(shouldContinue)),
      job('prune evidence of holders', PRUNE_EVIDENCE_EVERY_MS, pruneEvidence),
    ];
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
      const lagMs = recorder.lagMs();
      return lagMs === null ? [] : [{ store: recorder.id, lagMs }];
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

  private findDue({ id, engine }: MonitoredBackend, areExpired: boolean): RecordKey[] {
    const { projection, clock } = this.parts;
    const instant = clock.now() + engine.health().clockOffsetMs - EXPIRY_LEFT_TO_CALLERS_MS;
    /** Whether a caller has used the lock since it was read, so that no hold of it is due. */
    const isTouched = (key: RecordKey, rev: number) =>
      engine.cachedLock(key, rev + 1)?.record.holds.every(({ expiresAt }) => expiresAt > instant);
    return projection
      .dueForExpiry(new Map([[id, instant]]))
      .filter(({ backend, expired }) => backend === id && expired === areExpired)
      .filter(({ key, rev }) => !areExpired || !isTouched(key, rev))
      .map(({ key }) => key);
  }

  /**
   * Deletes records that have long been free, and expired idempotency records. With millions this
   * takes minutes, so it ends when this process is no longer the runner.
   */
  private async deleteIdle(backend: MonitoredBackend): Promise<void> {
    const { store } = backend;
    let cursor: Cursor | null = { namespace: null, after: null };
    const { projection, clock } = this.parts;
    const { slice: newSlice = () => new TimeSlice(() => clock.monotonic()) } = this.parts;
    const slice = newSlice();
    while (cursor) {
      if (!this.isRunner) return;
      const page = await store.scan(cursor, SCAN_PAGE);
      const isOwn = ({ key }: ReadRecord) => key.namespace === OWN_NAMESPACE;
      const ended = page.records.filter(isOwn).flatMap(endedHeartbeat);
      if (ended.length > 0) await store.deleteRecords(ended);
      const others = page.records.filter((read) => !isOwn(read));
      const fates = await deleteReadRecords(backend, others, IDLE_MS);
      const deleted = fates.filter(({ outcome }) => outcome === 'deleted');
      projection.remove(
        backend,
        deleted.map(({ key }) => key),
      );
      cursor = page.next;
      if (slice.isOver) await slice.pause();
    }
    await store.deleteExpiredAnswers();
  }

  private controlBackend(): MonitoredBackend | undefined {
    return this.parts.backends.find(({ id }) => id === 'default');
  }

  private identity() {
    return { service: 'lockyard', owner: this.parts.processId };
  }
}

/** A heartbeat that ended long ago. Lockyard's own locks stay. */
function endedHeartbeat({ key, record, now }: ReadRecord): ObsoleteRecord[] {
  if (!record || !key.name.startsWith('process/')) return [];
  const { rev, writer, head } = record;
  return now - Number(head) > DEAD_PROCESS_MS ? [{ key, rev, writer }] : [];
}
