import { GateEntry } from './gate-entry';

/** The most counters with an entry; more only while too few entries are idle. */
const ENTRIES_MAX = 20_000;

/** The entries of counters by id. When there are too many, idle ones are dropped. */
export class GateEntries {
  private readonly byId = new Map<string, GateEntry>();

  /**
   * @param beforeMakingRoom called before idle entries are dropped
   * @param mustKeep whether an idle entry must be kept
   */
  constructor(
    private readonly beforeMakingRoom: () => void,
    private readonly mustKeep: (entry: GateEntry) => boolean,
  ) {}

  get(id: string): GateEntry | undefined {
    return this.byId.get(id);
  }

  /** The entry of a counter, created if there is none. */
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
      if (!entry.isIdle || this.mustKeep(entry)) continue;
      this.byId.delete(id);
      entry.isKept = false;
      left -= 1;
    }
  }
}
