import { ANNOUNCED_FOR_MS, type GateEntry } from './gate-entry';

/** Takes back what was announced in advance for counters that are not used any more. */
export class GateSlack {
  private readonly entries = new Set<GateEntry>();
  private timer: NodeJS.Timeout | undefined;

  /** @param tell called with each entry that has something to send to the gate */
  constructor(
    private readonly monotonic: () => number,
    private readonly tell: (entry: GateEntry) => void,
  ) {}

  /** Watches an entry that has just taken part in an exchange. */
  note(entry: GateEntry): void {
    if (!entry.hasSlack) return;
    this.entries.add(entry);
    this.timer ??= setTimeout(() => this.takeBack(), ANNOUNCED_FOR_MS).unref();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private takeBack(): void {
    this.timer = undefined;
    const before = this.monotonic() - ANNOUNCED_FOR_MS;
    for (const entry of this.entries) {
      if (entry.usedAt > before) continue;
      this.entries.delete(entry);
      // A dropped entry sends nothing: another one sends the messages of its counter.
      if (entry.hasSlack && entry.isKept) this.tell(entry);
    }
    if (this.entries.size > 0)
      this.timer = setTimeout(() => this.takeBack(), ANNOUNCED_FOR_MS).unref();
  }
}
