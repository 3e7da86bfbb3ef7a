import type { ListedLock } from '../wire/wire';

/** The states that a watcher has received, so that it yields each once, and never an older one. */
export class KnownStates {
  private readonly states = new Map<string, ListedLock>();
  /** The names received so far while the current states arrive; null at other times. */
  private present: Set<string> | null = null;

  /** @param names the watched names; null: a prefix */
  constructor(private readonly names: ReadonlySet<string> | null) {}

  /** The current states of all watched locks follow. */
  beginPresent(): void {
    this.present = new Set();
  }

  /**
   * All current states have arrived. Yields the locks known before that are not among them, as
   * free.
   */
  *endPresent(): Generator<ListedLock> {
    const { present } = this;
    this.present = null;
    if (present === null) return;
    for (const { name, rev } of [...this.states.values()]) {
      if (present.has(name)) continue;
      this.states.delete(name);
      yield { name, state: 'free', rev, holders: [], queueLength: 0 };
    }
  }

  /**
   * Records a state; returns whether it is new. Free locks of a prefix are not kept: there may be
   * very many.
   */
  take(lock: ListedLock): boolean {
    const { name, rev, state } = lock;
    this.present?.add(name);
    const known = this.states.get(name);
    if (known && rev !== 0 && rev < known.rev) return false;
    const isKnown = known !== undefined && essence(known) === essence(lock);
    if (state === 'free' && lock.queueLength === 0 && !this.isNamed(lock)) this.states.delete(name);
    else this.states.set(name, lock);
    return !isKnown;
  }

  /**
   * There was no answer for too long. Yields every lock as unknown, even one not in any answer yet.
   */
  *forget(): Generator<ListedLock> {
    for (const name of this.names ?? []) {
      if (!this.states.has(name)) this.states.set(name, { ...UNSEEN, name, holders: [] });
    }
    for (const lock of this.states.values()) {
      if (lock.state === 'unknown') continue;
      const unknown = { ...lock, state: 'unknown' } as const;
      this.states.set(lock.name, unknown);
      yield unknown;
    }
  }

  private isNamed({ name }: ListedLock): boolean {
    return this.names?.has(name) ?? false;
  }
}

/** A lock that has not been in any answer. */
const UNSEEN = { state: 'free', rev: 0, queueLength: 0 } as const;

/** A state as text, without what time and renewals change. */
function essence({ rev: _, holders, ...lock }: ListedLock): string {
  const lasting = holders.map(({ expiresAt: _e, expiresInMs: _i, ...holder }) => holder);
  return JSON.stringify({ ...lock, holders: lasting });
}
