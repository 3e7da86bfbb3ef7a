import { Alerting } from './alerts/alerting';
import { FormerStore } from './history/former-stores';
import { LockPast } from './history/lock-past';
import { EventRecorder } from './history/recorder/event-recorder';
import { HeatRecorder } from './incidents/heat-recorder';
import { HeatTable } from './incidents/heat-table';
import { IncidentRecorder } from './incidents/incident-recorder';
import { UrlWitnesses } from './liveness/url-witnesses';
import { Maintenance } from './maintenance/maintenance';
import { EventTally } from './metrics/event-tally';
import type { HistoricStore, MonitoringContext } from './monitoring-context';
import type { MonitoringOptions } from './monitoring-options';
import { NamespaceCapacity } from './names/namespace-capacity';
import type { LiveView } from './open-live-view';
import { publicId } from './projection/monitored-backend';

/** Maintenance, and those of its parts that every process uses. */
interface StartedMaintenance {
  maintenance: Maintenance;
  /** The events of each store that this process has recorded. */
  tallies: (HistoricStore & { tally: EventTally })[];
  alerts: Alerting;
  capacity: NamespaceCapacity;
}

/** Starts maintenance, which runs while this process has the maintenance lock. */
export function startMaintenance(
  options: MonitoringOptions,
  context: MonitoringContext,
  { projection, evidence }: LiveView,
): StartedMaintenance {
  const { backends, stores, database, clock, retention } = context;
  const { witnesses = [], pruneAudit = async () => undefined } = options;
  const { historyMs } = retention;
  const tallies = stores.map((store) => ({ ...store, tally: new EventTally() }));
  const alerts = new Alerting({ ...options, projection, historyMs });
  const capacity = new NamespaceCapacity({ ...context, projection });
  const maintenance = new Maintenance({
    ...context,
    projection,
    recorders: tallies.map(({ id, tally }) => recorderOf(id, tally, context)),
    incidents: new IncidentRecorder({
      database,
      table: projection.table,
      isRead: (backend) => projection.isRead(backend),
      isFresh: (backend) => projection.stores.isFresh(backend),
      backends,
      past: new LockPast(database),
      clock,
      historyMs,
    }),
    heat: new HeatRecorder(projection.table, new HeatTable(database), clock, historyMs),
    alerts,
    capacity,
    resolveIntents: options.resolveIntents,
    pruneAudit,
    witnesses: new UrlWitnesses(witnesses, evidence),
    async pruneEvidence() {
      const isKnown = backends.every((backend) => projection.isRead(publicId(backend)));
      if (isKnown) await evidence.prune();
    },
  }).start();
  return { maintenance, tallies, alerts, capacity };
}

/** Records the history of a store, or only removes from it if the store is no longer configured. */
function recorderOf(
  id: string,
  tally: EventTally,
  { backends, leaving, database, clock, retention, readers, log }: MonitoringContext,
): EventRecorder | FormerStore {
  const recorderFor = (source: ConstructorParameters<typeof EventRecorder>[1]) =>
    new EventRecorder(database, source, clock, tally, retention, readers);
  const backend = backends.find((one) => one.id === id);
  if (backend) return recorderFor({ ...backend, history: backend.history.forTail(), log });
  const store = leaving.find((one) => one.id === id)?.store ?? null;
  if (store) return recorderFor({ id, history: store, store, log });
  return new FormerStore(database, id, clock, retention);
}
