import {
  EXPIRY_LEFT_TO_CALLERS_MS,
  EXPIRY_SCAN_EVERY_MS,
  INTENTS_EVERY_MS,
} from '../../core/timing';
import type { Clock } from '../../platform/clock';
import type { ShouldContinue } from '../../platform/periodic';
import type { RecordKey } from '../../storage/record-store';
import type { Alerting } from '../alerts/alerting';
import type { EventRecorder } from '../history/recorder/event-recorder';
import type { HeatRecorder } from '../incidents/heat-recorder';
import type { IncidentRecorder } from '../incidents/incident-recorder';
import type { UrlWitnesses } from '../liveness/url-witnesses';
import { TimeSlice } from '../lock-list/order/time-slice';
import type { NamespaceCapacity } from '../names/namespace-capacity';
import type { LockProjection } from '../projection/lock-projection';
import type { MonitoredBackend } from '../projection/monitored-backend';
import { deleteIdleRecords } from './delete-idle-records';

const RECORD_EVERY_MS = 300;
const QUEUES_EVERY_MS = 1_000;
const CLEAN_UP_EVERY_MS = 10 * 60_000;
const CAPACITY_EVERY_MS = 5_000;
const LEGACY_LIMITS_EVERY_MS = 2_000;
const PRUNE_EVIDENCE_EVERY_MS = 60_000;
const INCIDENTS_EVERY_MS = 1_000;

/** Work that one process does for all, safe to repeat. */
export interface MaintenanceJob {
  /** In the log, in metrics and for `lockyard doctor`. */
  name: string;
  everyMs: number;
  run: (shouldContinue: ShouldContinue) => unknown;
}

/** What the jobs work on. */
export interface MaintenanceParts {
  backends: readonly MonitoredBackend[];
  projection: Pick<LockProjection, 'dueForExpiry' | 'remove'>;
  recorders: Pick<EventRecorder, 'id' | 'record' | 'prune'>[];
  incidents: Pick<IncidentRecorder, 'run' | 'prune'>;
  heat: Pick<HeatRecorder, 'run' | 'prune'>;
  alerts: Pick<Alerting, 'jobs'>;
  capacity: Pick<NamespaceCapacity, 'run' | 'setLegacyLimits'>;
  clock: Clock;
  /** Closes audit intents whose outcome was never written. */
  resolveIntents: () => Promise<void>;
  pruneAudit: (shouldContinue: ShouldContinue) => Promise<void>;
  witnesses: Pick<UrlWitnesses, 'jobs'>;
  /** Removes evidence on processes that no longer hold locks. */
  pruneEvidence: () => Promise<void>;
  /** Divides long work; absent: by the clock. */
  slice?: () => TimeSlice;
}

export function maintenanceJobs(parts: MaintenanceParts): MaintenanceJob[] {
  const { backends, recorders, incidents, heat, alerts, capacity, witnesses } = parts;
  const job = (name: string, everyMs: number, run: MaintenanceJob['run']) => ({
    name,
    everyMs,
    run,
  });
  return [
    ...backends.flatMap((backend) => jobsOfBackend(backend, parts)),
    ...recorders.flatMap((recorder) => [
      job(`record history of ${recorder.id}`, RECORD_EVERY_MS, () => recorder.record()),
      job(`prune history of ${recorder.id}`, CLEAN_UP_EVERY_MS, (shouldContinue) =>
        recorder.prune(shouldContinue),
      ),
    ]),
    job('record incidents', INCIDENTS_EVERY_MS, (shouldContinue) => incidents.run(shouldContinue)),
    job('prune incidents', CLEAN_UP_EVERY_MS, (shouldContinue) => incidents.prune(shouldContinue)),
    job('count waiting', INCIDENTS_EVERY_MS, () => heat.run()),
    job('prune counts of waiting', CLEAN_UP_EVERY_MS, (shouldContinue) =>
      heat.prune(shouldContinue),
    ),
    ...alerts.jobs(),
    ...witnesses.jobs(),
    job('resolve audit intents', INTENTS_EVERY_MS, parts.resolveIntents),
    job('prune the audit log', CLEAN_UP_EVERY_MS, parts.pruneAudit),
    job('set name limits', LEGACY_LIMITS_EVERY_MS, () => capacity.setLegacyLimits()),
    job('free capacity', CAPACITY_EVERY_MS, (shouldContinue) => capacity.run(shouldContinue)),
    job('prune evidence of holders', PRUNE_EVIDENCE_EVERY_MS, parts.pruneEvidence),
  ];
}

function jobsOfBackend(
  backend: MonitoredBackend,
  { projection, clock, slice = () => new TimeSlice(() => clock.monotonic()) }: MaintenanceParts,
): MaintenanceJob[] {
  const { id } = backend;
  const due = (areExpired: boolean) => dueLocks(backend, projection, clock, areExpired);
  return [
    {
      name: `end expired holds of ${id}`,
      everyMs: EXPIRY_SCAN_EVERY_MS,
      run: () => backend.engine.expireAndPromote(due(true)),
    },
    {
      // Removes dead waiters from queues that no caller uses.
      name: `check queues of ${id}`,
      everyMs: QUEUES_EVERY_MS,
      run: () => backend.engine.expireAndPromote(due(false)),
    },
    {
      name: `clean up ${id}`,
      everyMs: CLEAN_UP_EVERY_MS,
      run: (shouldContinue) => deleteIdleRecords(backend, projection, slice(), shouldContinue),
    },
  ];
}

/**
 * The locks of a backend in which something may have to end.
 *
 * @param areExpired true: those with an expired lease; false: the others that have waiters
 */
function dueLocks(
  { id, engine }: MonitoredBackend,
  projection: Pick<LockProjection, 'dueForExpiry'>,
  clock: Clock,
  areExpired: boolean,
): RecordKey[] {
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
