import type { ChangeJournal, LockChange } from './change-journal';
import type { OpenWatch } from './open-watch';

/** Up to where watches have received every change. */
export interface Covered {
  version: number;
  /** See `WatchPosition`. */
  readUpTo: number;
}

/** The changes of one namespace, and the open watches that are notified of them. */
export class WatchedNamespace {
  /** When it was watched last, on the monotonic clock. */
  usedAt = 0;
  /** Up to where open watches have been notified. */
  covered: Covered = { version: 0, readUpTo: 0 };
  /** Whether its changes are dated by its backend's clock, which is unknown before a reading. */
  isDated = false;
  /** Whether its backend responded, and had been read since, at the last check. */
  wasReachable = true;
  /** The version after its backend last stopped or resumed responding. */
  turnedAt = 0;
  /** Whether its backend granted nothing for a while, at the last check. */
  wasQuiet = false;
  /** The version after `wasQuiet` changed last. */
  quietTurnedAt = 0;
  private readonly byName = new Map<string, Set<OpenWatch>>();
  readonly prefixWatches = new Set<OpenWatch>();
  /** Changes not yet sent to open watches, by name. */
  private unsent = new Map<string, LockChange>();

  /** @param backend of the namespace, as users know it */
  constructor(
    readonly backend: string,
    public journal: ChangeJournal,
  ) {}

  /** Whether it has open watches. */
  get isOpen(): boolean {
    return this.byName.size > 0 || this.prefixWatches.size > 0;
  }

  note(change: LockChange): void {
    this.journal.add(change);
    if (this.isOpen && !change.isQuiet) this.unsent.set(change.name, change);
  }

  /** Takes the changes not yet sent to open watches; the caller sends them now. */
  takeUnsent(): Iterable<LockChange> {
    const { unsent } = this;
    if (unsent.size > 0) this.unsent = new Map();
    return unsent.values();
  }

  /** The locks that open watches name. */
  get names(): Iterable<string> {
    return this.byName.keys();
  }

  /** The open watches of a lock. */
  *watchesOf(name: string): Generator<OpenWatch> {
    yield* this.byName.get(name) ?? [];
    for (const watch of this.prefixWatches) if (name.startsWith(watch.target.prefix)) yield watch;
  }

  join(watch: OpenWatch): void {
    const { names } = watch.target;
    if (!names) this.prefixWatches.add(watch);
    for (const name of names ?? []) {
      const watches = this.byName.get(name) ?? new Set();
      this.byName.set(name, watches.add(watch));
    }
  }

  leave(watch: OpenWatch): void {
    this.prefixWatches.delete(watch);
    for (const name of watch.target.names ?? []) {
      const watches = this.byName.get(name);
      watches?.delete(watch);
      if (watches?.size === 0) this.byName.delete(name);
    }
  }
}
