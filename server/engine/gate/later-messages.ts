import type { GateEntry } from './gate-entry';

/** How long the messages of an entry wait before they are sent. */
const LATER_MS = 600;

const EVERY_MS = 50;

/** Entries whose messages to the gate can wait, because they would not change any refusal. */
export class LaterMessages {
  /** Since when each waits, on the monotonic clock, longest first. */
  private readonly since = new Map<GateEntry, number>();
  private timer: NodeJS.Timeout | undefined;

  /** @param send called with each entry once it has waited long enough */
  constructor(
    private readonly monotonic: () => number,
    private readonly send: (entry: GateEntry) => void,
  ) {}

  add(entry: GateEntry): void {
    if (this.since.has(entry)) return;
    this.since.set(entry, this.monotonic());
    this.timer ??= setTimeout(() => this.sendDue(), EVERY_MS).unref();
  }

  delete(entry: GateEntry): void {
    this.since.delete(entry);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private sendDue(): void {
    const before = this.monotonic() - LATER_MS;
    for (const [entry, since] of this.since) {
      if (since > before) break;
      this.since.delete(entry);
      this.send(entry);
    }
    this.timer =
      this.since.size > 0 ? setTimeout(() => this.sendDue(), EVERY_MS).unref() : undefined;
  }
}
