import type { Clock } from '../../platform/clock';
import type { KnownStores } from '../projection/known-stores';
import { type MonitoredBackend, publicId } from '../projection/monitored-backend';
import type { ProjectionRow } from '../projection/projection-row';
import { ChangeJournal } from './change-journal';
import { isSameState } from './is-same-state';
import { WatchedNamespace } from './watched-namespace';

/** Changes of a namespace are kept this long after its last watch, so that a caller can resume. */
const KEPT_AFTER_MS = 10 * 60_000;

/** How much later another process can notice a change of a lock by time alone. */
const NOTICED_WITHIN_MS = 1_000;

/**
 * Records which locks changed, for the namespaces that are watched or recently were. For all others
 * a change costs one look-up.
 */
export class WatchJournals {
  /** Version of the last change. */
  version = 0;
  private readonly watched = new Map<string, WatchedNamespace>();

  constructor(
    private readonly backends: readonly MonitoredBackend[],
    private readonly clock: Clock,
    private readonly stores: Pick<KnownStores, 'isKnown'>,
  ) {}

  /** The watched namespace. Its changes are recorded from now on, if they were not already. */
  of({ namespace, backend }: { namespace: string; backend: string }): WatchedNamespace {
    const known = this.watched.get(namespace);
    if (known?.backend === backend) return known;
    const watched = new WatchedNamespace(backend, this.newJournal(backend));
    watched.isDated = this.isClockKnown(backend);
    watched.wasReachable = this.isReachable(backend);
    watched.wasQuiet = this.isQuiet(backend);
    this.watched.set(namespace, watched);
    return watched;
  }

  private newJournal(backend: string): ChangeJournal {
    // Positions from an earlier journal of the namespace must not be valid in this one.
    this.version += 1;
    return new ChangeJournal(this.version, this.latestInstantOf(backend));
  }

  /** All watched namespaces; drops those that have not been watched for a long time. */
  current(): WatchedNamespace[] {
    const oldest = this.clock.monotonic() - KEPT_AFTER_MS;
    for (const [namespace, watched] of this.watched) {
      if (!watched.isOpen && watched.usedAt < oldest) this.watched.delete(namespace);
    }
    return [...this.watched.values()];
  }

  /** Notes that a new reading replaces the previous one; null: the lock has no record. */
  replaced(before: ProjectionRow | null, after: ProjectionRow | null): void {
    const row = after ?? before;
    const watched = row && this.watched.get(row.key.namespace);
    if (!watched) return;
    const isQuiet = isSameState(before, after);
    const isNext = before !== null && after !== null && after.rev <= before.rev + 1;
    if (!isQuiet || !isNext) this.note(watched, row.key.name, 0, isQuiet);
  }

  /** Notes that the state of a lock has changed although nothing was written. */
  turned({ key }: ProjectionRow): void {
    const watched = this.watched.get(key.namespace);
    if (watched) this.note(watched, key.name, NOTICED_WITHIN_MS);
  }

  /**
   * Notes all locks that watches name, with or without a record, if their backend stopped or
   * resumed responding; of other locks, `turned` notes those with a record. Watches by prefix then
   * start over: in between they may have been sent `unknown` once more.
   */
  checkReachable(watched: WatchedNamespace): void {
    const isReachable = this.isReachable(watched.backend);
    if (!watched.isDated && this.isClockKnown(watched.backend)) {
      watched.journal = this.newJournal(watched.backend);
      watched.isDated = true;
    }
    if (isReachable === watched.wasReachable) return;
    watched.wasReachable = isReachable;
    for (const name of watched.names) this.note(watched, name, NOTICED_WITHIN_MS);
    this.version += 1;
    watched.turnedAt = this.version;
    if (isReachable) for (const watch of watched.prefixWatches) watch.beginAgain();
  }

  /**
   * Notes all locks that watches name if their backend stops or resumes granting, as after a
   * restore: a lock without a record is delayed meanwhile, and nothing is written for it.
   */
  checkQuiet(watched: WatchedNamespace): void {
    const isQuiet = this.isQuiet(watched.backend);
    if (isQuiet === watched.wasQuiet) return;
    watched.wasQuiet = isQuiet;
    for (const name of watched.names) this.note(watched, name, NOTICED_WITHIN_MS);
    this.version += 1;
    watched.quietTurnedAt = this.version;
  }

  /** Whether a backend, or a shard of it, grants no lock yet. */
  isQuiet(backend: string): boolean {
    const from = this.grantsFrom(backend);
    return from > 0 && this.instantOf(backend) < from;
  }

  /** The instant of the backend's clock before which it grants no lock; 0: it grants any. */
  grantsFrom(backend: string): number {
    const parts = this.backends.filter((each) => publicId(each) === backend);
    return Math.max(0, ...parts.map(({ grantsFromOf }) => grantsFromOf?.() ?? 0));
  }

  /** The earliest time that a backend's clock can show now; with shards, that of the first one. */
  instantOf(backend: string): number {
    return this.clock.now() + (this.healthOf(backend)?.clockOffsetMs ?? 0);
  }

  /** The latest time that it can show. After a slow start the two can be seconds apart. */
  latestInstantOf(backend: string): number {
    return this.instantOf(backend) + (this.healthOf(backend)?.clockSpreadMs ?? 0);
  }

  private isClockKnown(backend: string): boolean {
    return this.healthOf(backend)?.clockSpreadMs !== undefined;
  }

  /** Whether a backend responds, with all its shards, and all were read since they last did not. */
  isReachable(backend: string): boolean {
    const parts = this.backends.filter((each) => publicId(each) === backend);
    return parts.filter((part) => this.stores.isKnown(part)).length === parts.length;
  }

  /** Whether one store responds, and was read since it last did not. */
  isKnown(store: MonitoredBackend): boolean {
    return this.stores.isKnown(store);
  }

  private note(watched: WatchedNamespace, name: string, laterMs: number, isQuiet = false): void {
    this.version += 1;
    const by = this.latestInstantOf(watched.backend) + laterMs;
    watched.note({ name, version: this.version, by, ...(isQuiet && { isQuiet }) });
  }

  private healthOf(backend: string) {
    return this.backends.find((each) => publicId(each) === backend)?.engine.health();
  }
}
