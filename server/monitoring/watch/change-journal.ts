/** How many changes of a namespace are kept at least. A reader further behind starts over. */
const KEPT = 16_384;

/** A change of one lock. */
export interface LockChange {
  name: string;
  /** Rises with every change of this process. */
  version: number;
  /** An instant not before the write of the change, on the clock of its backend. */
  by: number;
  /**
   * The lock looks as before, but may have looked different in between: only watches that another
   * process has answered are notified.
   */
  isQuiet?: boolean;
}

/** The changes of the locks of one namespace in order, as far back as they are kept. */
export class ChangeJournal {
  private changes: LockChange[] = [];
  /** The last kept change of each lock, by name; a quiet one only if there is no other. */
  private readonly last = new Map<string, LockChange>();

  /**
   * @param start every change after this version is kept
   * @param startedAt every change later than this instant of the backend's clock is kept
   */
  constructor(
    private start: number,
    private startedAt: number,
  ) {}

  /** @param noted its `by` counts as at least that of the change before */
  add(noted: LockChange): void {
    const change = { ...noted, by: Math.max(noted.by, this.changes.at(-1)?.by ?? 0) };
    this.changes.push(change);
    if (!change.isQuiet || !this.last.has(change.name)) this.last.set(change.name, change);
    if (this.changes.length >= 2 * KEPT) this.dropOldest();
  }

  /** The last change of a lock, if it is kept. */
  lastOf(name: string): LockChange | undefined {
    return this.last.get(name);
  }

  /** The last change of each lock since this version, earliest first; null: not all are kept. */
  since(version: number): LockChange[] | null {
    const isBefore = (change: LockChange) => change.version <= version;
    return version < this.start ? null : this.latest(isBefore, ({ isQuiet }) => !isQuiet);
  }

  /** Like `since`, of these locks only, however many changes others had. */
  sinceOf(names: readonly string[], version: number): LockChange[] | null {
    if (version < this.start) return null;
    return names.flatMap((name) => {
      const change = this.last.get(name);
      return change && !change.isQuiet && change.version > version ? [change] : [];
    });
  }

  /**
   * Like `since`, after an instant of the backend's clock; may include some before it. For watches
   * that another process has answered, so it includes quiet changes.
   */
  sinceInstant(instant: number): LockChange[] | null {
    return instant < this.startedAt ? null : this.latest(({ by }) => by <= instant);
  }

  private latest(
    isBefore: (change: LockChange) => boolean,
    isWanted: (change: LockChange) => boolean = () => true,
  ): LockChange[] {
    const found = new Map<string, LockChange>();
    for (let i = this.changes.length - 1; i >= 0; i -= 1) {
      const change = this.changes[i] as LockChange;
      if (isBefore(change)) break;
      if (isWanted(change) && !found.has(change.name)) found.set(change.name, change);
    }
    return [...found.values()].reverse();
  }

  private dropOldest(): void {
    const dropped = this.changes.slice(0, KEPT);
    this.changes = this.changes.slice(KEPT);
    for (const change of dropped) {
      if (this.last.get(change.name) === change) this.last.delete(change.name);
      this.start = change.version;
      this.startedAt = Math.max(this.startedAt, change.by);
    }
  }
}
