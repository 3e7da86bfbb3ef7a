import { ANNOUNCED_FOR_MS, type GateEntry } from './gate-entry';

/** Withdraws announcements in advance for counters that are no longer used. */
export class GateSlack {
  private readonly entries = new Set<GateEntry>();
  private timer: NodeJS.Timeout | undefined;

  /** @param tell called with each entry whose announcement is to be withdrawn */
  constructor(
    private readonly monotonic: () => number,
    private readonly tell: (entry: GateEntry) => void,
  ) {}

  /** Watches an entry that has just taken part in an exchange. */
  note(entry: GateEntry): void {
    if (!entry.hasSlack) return;
    this.entries.add(entry);
    this.timer ??= setTimeout(() => this.withdraw(), ANNOUNCED_FOR_MS).unref();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private withdraw(): void {
    this.timer = undefined;
    const before = this.monotonic() - ANNOUNCED_FOR_MS;
    for (const entry of this.entries) {
      if (entry.usedAt > before) continue;
      this.entries.delete(entry);
      // A dropped entry sends nothing: another entry sends the messages of its counter.
      if (entry.hasSlack && entry.isKept) this.tell(entry);
    }
    if (this.entries.size > 0)
      this.timer = setTimeout(() => this.withdraw(), ANNOUNCED_FOR_MS).unref();
  }
}
