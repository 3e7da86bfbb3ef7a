import type { ListedLock } from '../wire/wire';

/** What a watcher has received, so that it yields each state once, and none that is older. */
export class KnownStates {
  private readonly states = new Map<string, ListedLock>();
  /** Names received so far while the present states arrive; null at other times. */
  private present: Set<string> | null = null;

  /** The present states of all watched locks follow. */
  beginPresent(): void {
    this.present = new Set();
  }

  /** All present states have come. Yields those known before that are not among them: free now. */
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

  /** Whether a state is new. States of free locks are not kept: there may be very many. */
  take(lock: ListedLock): boolean {
    const { name, rev, state } = lock;
    this.present?.add(name);
    const known = this.states.get(name);
    if (known && rev !== 0 && rev < known.rev) return false;
    const isKnown = known !== undefined && essence(known) === essence(lock);
    if (state === 'free' && lock.queueLength === 0 && !this.isKept(lock)) this.states.delete(name);
    else this.states.set(name, lock);
    return !isKnown;
  }

  /** There was no answer for too long: every lock is unknown now, whether or not it was in one. */
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

  /** @param names that are watched, and so few; null: a prefix */
  constructor(private readonly names: ReadonlySet<string> | null) {}

  private isKept({ name }: ListedLock): boolean {
    return this.names?.has(name) ?? false;
  }
}

/** A lock that has not been in any answer. */
const UNSEEN = { state: 'free', rev: 0, queueLength: 0 } as const;

/** A state without what time and renewals change. */
function essence({ rev: _, holders, ...lock }: ListedLock): string {
  const lasting = holders.map(({ expiresAt: _e, expiresInMs: _i, ...holder }) => holder);
  return JSON.stringify({ ...lock, holders: lasting });
}
