import { GateEntry } from './gate-entry';

/** Counters of which something is kept. */
const ENTRIES_MAX = 20_000;

/** What this process has to send about counters, by their ids; as many as fit. */
export class GateEntries {
  private readonly byId = new Map<string, GateEntry>();

  /**
   * @param beforeMakingRoom called when there is no room for another
   * @param isWanted whether an idle one must be kept
   */
  constructor(
    private readonly beforeMakingRoom: () => void,
    private readonly isWanted: (entry: GateEntry) => boolean,
  ) {}

  get(id: string): GateEntry | undefined {
    return this.byId.get(id);
  }

  /** The one of a counter, made if there is none. */
  of(id: string): GateEntry {
    const known = this.byId.get(id);
    if (known) return known;
    if (this.byId.size >= ENTRIES_MAX) this.dropIdle();
    const entry = new GateEntry(id);
    this.byId.set(id, entry);
    return entry;
  }

  values(): IterableIterator<GateEntry> {
    return this.byId.values();
  }

  private dropIdle(): void {
    this.beforeMakingRoom();
    let left = this.byId.size - ENTRIES_MAX / 2;
    for (const [id, entry] of this.byId) {
      if (left <= 0) return;
      if (!entry.isIdle || this.isWanted(entry)) continue;
      this.byId.delete(id);
      entry.isKept = false;
      left -= 1;
    }
  }
}
