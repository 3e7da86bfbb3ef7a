import type { GateEntry } from './gate-entry';

/** The end of a step is sent to the gate within this time. */
const LATER_MS = 600;

const EVERY_MS = 50;

/** Entries whose messages to the gate may wait, because they would change no refusal. */
export class LaterMessages {
  /** Since when each waits, on the monotonic clock; the first have waited longest. */
  private readonly since = new Map<GateEntry, number>();
  private timer: NodeJS.Timeout | undefined;

  /** @param send called with entries that have waited for long enough */
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
