import { DEFAULT_RETENTION, type Retention } from '../core/retention';
import { EventReaders } from './history/event-readers';
import { SharedHistory } from './history/shared-history';
import type { LeavingStore, MonitoringOptions } from './monitoring-options';
import { type MonitoredBackend, publicId } from './projection/monitored-backend';

/** What the parts of monitoring share. */
export interface MonitoringContext
  extends Pick<
    MonitoringOptions,
    'database' | 'clock' | 'log' | 'processId' | 'namespaces' | 'names'
  > {
  /** Each with its history, which all that follow it share. */
  backends: (MonitoredBackend & Required<Pick<MonitoredBackend, 'history'>>)[];
  /** Stores that are no longer in use. */
  leaving: readonly LeavingStore[];
  /** The stores whose history is shown: also those that are no longer in use. */
  stores: HistoricStore[];
  retention: Retention;
  /** Notified whenever recorded events are read. */
  readers: EventReaders;
}

/** A store, in use or not, whose recorded history belongs to a backend. */
export interface HistoricStore {
  /** The id under which its history is recorded. */
  id: string;
  /** The backend's id, as users know it. */
  publicId: string;
}

export function monitoringContext(options: MonitoringOptions): MonitoringContext {
  const { database, clock, log, processId, namespaces, names } = options;
  const { leaving = [], retention = DEFAULT_RETENTION } = options;
  const backends = options.backends.map((backend) => ({
    ...backend,
    history: backend.history ?? new SharedHistory(backend.store, clock),
  }));
  const stores = [
    ...backends.map((backend) => ({ id: backend.id, publicId: publicId(backend) })),
    ...leaving.map(({ id, backend }) => ({ id, publicId: backend })),
  ];
  const readers = new EventReaders(database, clock);
  const given = { database, clock, log, processId, namespaces, names };
  return { ...given, backends, leaving, stores, retention, readers };
}
